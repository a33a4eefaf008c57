"""Check that every text of a figure is inside its canvas and overlaps no other text."""

import re

import numpy as np
from matplotlib.collections import QuadMesh
from matplotlib.colors import to_rgba
from matplotlib.text import Text

from anthrokit.figures.style import contrast_ratio


def _ticks(axis):
    low, high = sorted(axis.get_view_interval())
    slack = 1e-6 * (high - low)
    for minor in (False, True):
        for place, label in zip(axis.get_ticklocs(minor=minor), axis.get_ticklabels(minor=minor), strict=False):
            if low - slack <= place <= high + slack:
                yield label


def texts_of(figure):
    """The texts that are drawn; a tick outside the limits has a text that isn't."""
    outside = set()
    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis):
            every = {*axis.get_ticklabels(), *axis.get_ticklabels(minor=True)}
            outside |= every - (set(_ticks(axis)) if ax.axison and axis.get_visible() else set())
            outside |= {label for label in axis.findobj(Text) if label not in every | {axis.label, axis.offsetText}}
        if not ax.get_visible():
            outside |= set(ax.findobj(Text))
    texts = dict.fromkeys(text for text in figure.findobj(Text) if text not in outside)
    return [text for text in texts if text.get_visible() and text.get_text().strip()]


def corners(text):
    """The corners of a text as it is turned, a pixel within its box."""
    box, turn = text.get_window_extent(), text.get_rotation()
    flat = box
    if turn:
        text.set_rotation(0)
        flat = Text.get_window_extent(text)
        text.set_rotation(turn)
    half = np.array([max(flat.width - 2, 1), max(flat.height - 2, 1)]) / 2
    middle = np.array([(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2])
    angle = np.deg2rad(turn)
    around = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
    return middle + around @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])


def meet(one, other):
    """Whether two turned boxes that no upright or level line parts meet: no side of either parts them."""
    for box in (one, other):
        for k in range(2):
            side = box[k + 1] - box[k]
            across = np.array([-side[1], side[0]])
            if (one @ across).max() < (other @ across).min() or (other @ across).max() < (one @ across).min():
                return False
    return True


def faults(figure):
    """What is cut, and which texts lie on each other, in words."""
    for _ in range(2):  # the layout of a second drawing, which is the one that is saved, may differ
        before = [ax.get_position().bounds for ax in figure.axes]
        if engine := figure.get_layout_engine():
            engine.execute(figure)
        if np.allclose(before, [ax.get_position().bounds for ax in figure.axes], atol=1e-4):
            break
    figure.set_layout_engine("none")
    figure.draw_without_rendering()
    figure.set_layout_engine(engine)
    boxes_by_text = {text: corners(text) for text in texts_of(figure)}
    width, height = figure.bbox.width, figure.bbox.height
    cut = [
        f"cut: {text.get_text()!r}"
        for text, box in boxes_by_text.items()
        if box.min() < -1 or box[:, 0].max() > width + 1 or box[:, 1].max() > height + 1
    ]
    texts, boxes = list(boxes_by_text), np.array([*boxes_by_text.values()]).reshape(-1, 4, 2)
    low, high = boxes.min(1), boxes.max(1)
    near = np.triu((low[:, None] <= high).all(2) & (low <= high[:, None]).all(2), 1)
    over = [
        f"{texts[a].get_text()!r} on {texts[b].get_text()!r}"
        for a, b in np.argwhere(near)
        if meet(boxes[a], boxes[b])
    ]
    return cut + over


def behind(text, figure):
    """Return the colour behind a text: that of its cell in a heat map, else that of the figure."""
    ax = text.axes
    mesh = next((part for part in ax.collections if isinstance(part, QuadMesh)), None) if ax and text in ax.texts else None
    if mesh is None or text.get_transform() != ax.transData:
        return np.array(to_rgba(figure.get_facecolor()))[:3]
    rows, columns = (side - 1 for side in mesh.get_coordinates().shape[:2])
    x, y = text.get_position()
    colour = mesh.get_facecolor().reshape(rows, columns, 4)[int(y), int(x)]
    return 1 - colour[3] * (1 - colour[:3])


def overflowing(figure):
    """Describe numbers that are wider than their cell of a heat map, in a figure that has been drawn."""
    problems = []
    for ax in figure.axes:
        if any(isinstance(part, QuadMesh) for part in ax.collections):
            cell = ax.get_window_extent().width / abs(np.diff(ax.get_xlim())[0])
            own = [text for text in ax.texts if text.get_transform() == ax.transData and text.get_text()]
            wide = [text for text in own if text.get_window_extent().width > cell]
            problems += [f"wider than its cell: {text.get_text()!r}" for text in wide]
    return problems


def illegible(texts, figure, points):
    """Describe texts smaller than so many points, or of a contrast below 4.5 : 1, in a figure that has been drawn."""
    problems = []
    for text in texts:
        if text.get_fontsize() < points - 0.01:
            problems.append(f"small: {text.get_text()!r} has {text.get_fontsize():.1f} points")
        back, ink = behind(text, figure), np.array(to_rgba(text.get_color(), text.get_alpha()))
        contrast = contrast_ratio(back + ink[3] * (ink[:3] - back), back)
        if contrast < 4.5:
            problems.append(f"pale: {text.get_text()!r} has a contrast of {contrast:.1f}")
    return problems


def sizes(texts):
    """Return whether the texts of a figure say how many observations it shows."""
    return any(re.search(r"\bn\b", text.get_text()) for text in texts)
