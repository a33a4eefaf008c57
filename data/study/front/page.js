// The example page: the token stands behind the # of its address.
window.studyChat({
  gateway: location.origin,
  token: location.hash.slice(1),
  root: document.getElementById("chat"),
  changed: state => { document.getElementById("done").hidden = !state.may_end; },
});
