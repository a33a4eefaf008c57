"""Names and keywords that newcomers guess: each error leads to the right one."""

import operator
import re
import tomllib

import pytest

import anthrokit as ak

# What was guessed, and a name that the error must contain.
ATTRIBUTES = """
    ak.Persona simulation.Persona | ak.Judge judging.Judge | ak.PatternJudge judging.PatternJudge
    ak.ChatPanel panels.ChatPanel | ak.plot_agreement figures.plot_agreement | ak.plot_drift figures.plot_drift
    ak.family_prompts simulation.family_prompts | ak.load_cases heartbench.load_cases | ak.read_inspect io.read_inspect
    ak.read_petri io.read_petri | ak.Study study.Study | ak.serve study.serve | ak.score_tone anthroscore.score_tone
    ak.item_response validity.item_response | ak.load_personas simulation.load_personas | ak.BudgetReachedError BudgetReached
    ak.Simulate anthrokit.simulate | ak.simulat anthrokit.simulate | ak.run_simulation anthrokit.simulate | ak.generate simulate
    ak.chat simulate | ak.evaluate judge | ak.grade judge | ak.eval judge | ak.classify judg | ak.judge_run anthrokit.judge
    ak.judge_messages judge | ak.load_run Run | ak.open_run Run | ak.RunFolder Run | ak.load_behaviours Behaviour
    ak.behaviors aviour | ak.Behavior anthrokit.Behaviour | ak.load_taxonomy axonomy | ak.Model LLM | ak.Client study.Client
    ak.ChatModel anthrokit.LLM | ak.RetryPolicy max_retries | ak.max_retries anthrokit.LLM | ak.rate profile | ak.rates rates
    ak.summary profile | ak.profiles anthrokit.profile | ak.plot_profiles anthrokit.plot_profile | ak.plot_rates plot_profile
    ak.kappa agreement | ak.fleiss_kappa agreement | ak.agree anthrokit.agreement | ak.krippendorff_alpha agreement
    ak.ttest compare | ak.compare_targets compare_targets | ak.compare_targets compare | ak.power_analysis plan | ak.power plan
    ak.cost estimate | ak.estimate_cost anthrokit.estimate | ak.price estimate | ak.cost_estimate estimate
    ak.annotate nnotation | ak.Annotator AnnotationPanel | ak.draw_sample draw_annotation_sample | ak.human_labels abel
    ak.report_html report | ak.save_report report | ak.to_html html | ak.export_openai write_openai
    ak.save_openai write_openai | ak.load_dataset load_prompts | ak.load_data load_prompts | ak.prompts load_prompts
    ak.load_scenarios simulation.load_scenarios | ak.import_chats import_messages | ak.import_logs import
    ak.load_messages import_messages | ak.DialogViewer DialoguePanel | ak.DialogPanel anthrokit.DialoguePanel | ak.browser view
    ak.plot_snowballing anthrokit.plot_snowball | ak.plot_heatmap plot | ak.plot_emergence_curve plot_emergence
    ak.figures.plot_profil plot_profile | ak.figures.heatmap plot | ak.analysis.anova compare | ak.analysis.kappa agreement
    ak.validity.rogan_gladen corrected_rates | ak.validity.human_accuracy judge_accuracy
    ak.validity.plot_corrected figures.plot_corrected | ak.models.Provider anthrokit.LLM | ak.models.Model models
    ak.simulation.simulate_dialogues anthrokit.simulate | ak.io.to_inspect write_inspect | ak.heartbench.judge judge
    ak.heartbench.load heartbench | ak.panels.Annotation nnotation | ak.core.load_run Run | run.label labels
    run.dialogs dialogues | run.save export | run.cost usage | run.calls usage | run.transcripts dialogues | run.rating ratings
    taxonomy.category categories | taxonomy.selects select | run.annotators annotations | ak.Run.load Run(folder
    ak.read_run anthrokit.Run | run.results labels | run.to_df labels() | run.df ratings() | run.head labels() | run.scores ratings
    run.labels.groupby labels().groupby | ak.krippendorff agreement | ak.plot_comparison plot_differences | ak.zzz simulate
    ak.Scenario load_scenarios | ak.dataset load_prompts | ak.Epochs sample_prompts | ak.evals anthrokit.judge
    ak.personas load_personas | ak.relplot plot_profile | ak.pointplot plot_profile | ak.heatmap plot_profile
    ak.FacetGrid plot_profile | ak.crosstab pandas.crosstab | ak.concat pandas.concat | ak.tokenizer max_tokens
    ak.embeddings offline_panel | ak.cohen_kappa agreement | ak.icc agreement | ak.multiple_testing anthrokit.compare
    ak.holm anthrokit.compare | ak.odds_ratio plot_odds | ak.snowball_effect anthrokit.snowball
    ak.first_emergence anthrokit.emergence | ak.logger progress | ak.model_graded_qa judge | ak.merge_runs merge
    ak.get_model LLM | run.samples judges | run.dataframe labels() | run.to_parquet labels() | run.iloc labels() | run.data messages
    run.behaviours labels | run.total_cost usage | run.n_dialogues dialogues | run.status summary
    run.prompts.first_message prompts().first_message | run.summary.targets summary()['targets'] | ak.Run.open Run(folder
    ak.Taxonomy.from_file from_entries
    ak.families load_family | ak.Prompt load_prompts | ak.personas load_personas | ak.models.Mock load_embedded | ak.models.LiteLLM LLM
    ak.judging.HumanJudge AnnotationPanel | ak.judging.majority_vote run.labels() | ak.anthroscore.AnthroScorer anthroscore.score
    ak.anthroscore.extract_entities Entities | ak.analysis.cluster_bootstrap interval | ak.analysis.wilson interval
    ak.heartbench.load_questions load_cases | ak.heartbench.DIMENSIONS load_cases | ak.io.to_huggingface to_datasets
    ak.validity.confusion_matrix judge_accuracy | ak.plot_forest plot_differences | ak.inter_rater_reliability agreement
    ak.transitions snowball_matrix | ak.regression factor_model | ak.load_labels run.labels() | ak.sample_for_labelling annotation_sample
    ak.custom_behaviour anthrokit.Behaviour | ak.godspeed_scores study | ak.anthroscore.mask mask_sentences | ak.potato to_potato
    ak.track_costs usage | ak.analysis.survival_curve emergence | ak.panels.TranscriptPanel DialoguePanel | run.sql query
    run.agreement agreement | run.to_hf to_datasets | run.verdicts ratings | run.errors missing | run.kappa agreement
    ak.precision_recall judge_accuracy | ak.make_dashboard view | ak.permutation_pvalue compare
"""
CALLS = """
    ak.LLM("openai/a", base_url="http://b") api_base | ak.LLM("openai/a", temprature=1) temperature
    ak.LLM("openai/a", key="b") api_key | ak.LLM("openai/a", retries=3) max_retries
    ak.LLM("openai/a", concurrency=3) max_concurrency | ak.LLM("openai/a", max_token=3) max_tokens
    ak.LLM(model_name="openai/a") LiteLLM | ak.Budget(dollars=3) usd | ak.Budget(max_usd=3) usd | ak.Budget(cost=3) usd
    ak.Budget(token=3) tokens | ak.Run("nowhere", readonly=True) read_only | ak.Run(path="nowhere") folder
    run.labels(judge="a") judges | run.labels(raters=[]) judges | run.prompts(taxonomy=1) none
    ak.Taxonomy.load(file="a.toml") path | ak.Taxonomy(behaviors=[]) behaviours | ak.Behaviour(names="a") name
    ak.LLMJudge("openai/a", prompt="b") template | ak.LLMJudge(model="openai/a") llm
    ak.LLMJudge("openai/a", samples=3) LLMJudge | ak.TogetherJudge(model="openai/a") llm
    ak.DialoguePanel(run, live_update=True) live | ak.AnnotationPanel(run, rater="me") annotator
    ak.simulate(None, model="a") target | ak.simulate(None, target="a", out="b") run | ak.judge(run, raters=[]) judges
    ak.judge(run, [], n_samples=1) samples | ak.profile(run, groupby="turn") by | ak.profile(run, alpha=0.05) ci
    ak.plot_profile(run, axes=1) ax | ak.emergence(run, group="domain") by | ak.sample_prompts(None, k=3) n
    ak.estimate(target="a", raters=[]) judge | ak.demo_run(path="a") folder | ak.simulation.Persona(title="a") Persona
    ak.judging.StudentJudge(model="a") StudentJudge | ak.compare(run, target="a") compare | ak.write_report(run, file="a") path
    ak.import_messages(file="a") import_messages | ak.LLM("openai/a", system_prompt="b") system_target
    ak.LLM("openai/a", temp=1) temperature | ak.LLM("openai/a", model_name="b") model | ak.LLM("openai/a", turns=3) simulate
    ak.LLM("openai/a", top_p=7) 1 | ak.LLM(name="openai/a") openai/gpt-4o | ak.Behaviour(name="a") definition | ak.report(run) write_report
    ak.compare(run, by="turn") compare(labels, | ak.compare(run, "turn", "turn") group | ak.compare(run, "model") target
    ak.compare(run, "condition") simulate | ak.profile(run, by="model") target | ak.compare(run, run.summary()["targets"][0]) pairs
    ak.compare(run, reference="a") baseline | ak.profile(run, hue="target") by
    ak.profile("runs/x") ak.Run | ak.profile(ak.Run("typo")) simulate | ak.estimate(None, models=["a"]) estimate()
    ak.plot_profile(ak.profile(run, by="turn")) analysis.profile | ak.plot_profile(run, hue="target") profile
    ak.plot_profile(run, figsize=(1, 2)) figsize | ak.plot_profile(run, save="a") savefig | ak.plot_profile(run, path="a") savefig
    ak.plot_profile(run, title="a") .set_title | ak.plot_profile(run, x="a") anthrokit.profile | ak.plot_profile(run, by="a") profile
    ak.simulate(None, condition="a") design | ak.simulate(None, epochs=3) repeats | ak.simulate(None, max_connections=3) max_concurrency
    ak.sample_prompts(None, random_state=1) seed | ak.LLMJudge("openai/a", n=3) samples
    ak.LLMJudge("openai/a", behaviours=[]) anthrokit.judge
    ak.judge(run, [], n=1) samples | ak.simulate(None, temperature=1) anthrokit.LLM | ak.judge(run, [], metrics=[]) behaviours
    run.to_dataframe labels() | run.failed missing | ak.simulate(None, verbose=1) progress | ak.compare(run, correction="a") family
    ak.LLMJudge("openai/a", rubric="b") template | ak.profile(run, x="turn") by | ak.sample_prompts(None, frac=1) n
    ak.barplot plot | ak.draw_annotation_sample(run, size=9) n
    run.query("target == 'a'") SELECT | ak.judge(run, model="openai/a") judges | ak.judge(run, [], concurrency=5) max_concurrency
    ak.judge(run, [], epochs=2) samples | ak.judge(run, [], measure=[]) behaviours | ak.judge(run, [], force=True) retry
    ak.simulate(None, system="a") system_target | ak.simulate(None, dataset=None) prompts
    ak.simulate(None, n_conversations=3) repeats | ak.simulate(None, "a", "b", verbose=1) progress? | ak.load_prompts(path="a") source
    ak.profile(run, by="behavior") behaviour | ak.profile(run, by="Target") target) | ak.profile(run, by="prompt") prompt_id
    ak.profile(run, by="model_name") target) | ak.profile(run, by=["target", "turns"]) turn) | ak.compare(run, "domains") domain)
    ak.agreement(run, by="rater") judges | ak.profile(run, index="target") by? | ak.plot_profile(run, height=3) figsize
    ak.plot_emergence(run, hue_order=[]) order | ak.write_report(run, output="a") path
    ak.LLM("openai/a", num_predict=3) extra_body | ak.LLM("openai/a", headers={}) extra_headers
    ak.LLM("openai/a", cost=(1, 2)) price | ak.Behaviour("a", description="b") definition | ak.Taxonomy("a.toml") Taxonomy.load
    ak.corrected_rates(run, annotations=None) people | ak.estimate(n_dialogues=5) samples
    len(run) run.messages() | run["labels"] run.labels() | run[0] run.messages() | run.messages["text"] messages()
    run.summary()["target"] targets | ak.plot_profile(run, palette="virids") viridis | ak.profile(run, confidence=0.99) ci
    ak.profile(run, min_judges=2) run.labels( | ak.simulate(None, max_workers=4) max_concurrency | ak.simulate(None, n_turns=2) turns
    ak.load_prompts(language="de") chinese | ak.load_prompts(use_domain="work") prompts[ | ak.LLMJudge("openai/a", few_shot=[]) present
    ak.emergence(run, unit="message") by | ak.compare(run, paired=True) n_swaps | ak.compare(run, run) 'domain'
"""


def listed(text):
    return [tuple(each.strip().rsplit(" ", 1)) for line in text.strip().splitlines() for each in line.split(" | ")]


def test_two_hundred_names_are_guessed():
    assert len(listed(ATTRIBUTES) + listed(CALLS)) >= 200


@pytest.fixture(scope="module")
def names():
    return {"ak": ak, "run": ak.demo_run(), "taxonomy": ak.Taxonomy.load()}


def test_every_lead_names_what_exists(names):
    sections = tomllib.loads(ak.core.data_path("leads.toml").read_text("utf-8"))
    leads = {lead for name, section in sections.items() if name != "synonyms" for lead in section.values()}
    places = {place for lead in leads for place in re.findall(r"anthrokit\.([a-z_]+(?:\.\w+)*|\w+)", lead)}
    assert len(places) > 60
    for place in places:
        operator.attrgetter(place)(ak)
    for method in {one for lead in leads for one in re.findall(r"\brun\.(\w+)\(", lead)}:
        assert callable(getattr(names["run"], method)), method


@pytest.mark.parametrize(("guess", "lead"), [*listed(ATTRIBUTES), *listed(CALLS)], ids=lambda text: text)
def test_a_guessed_name_leads_to_the_right_one(guess, lead, names):
    with pytest.raises((AttributeError, KeyError, TypeError, ValueError, ak.RunError)) as raised:
        eval(guess, names)
    assert lead in str(raised.value).replace(guess, "")
    assert "lists what it has" not in str(raised.value)


def test_a_name_without_a_counterpart_gives_a_short_list(names):
    for guess in ("ak.zebra", "run.zebra", "ak.profile(run, zebra=1)", "ak.simulate(None, zebra=1)"):
        with pytest.raises((AttributeError, TypeError)) as raised:
            eval(guess, names)
        assert len(str(raised.value)) < 250 and str(raised.value).count(",") < 9
    with pytest.raises(AttributeError, match=", ".join(ak.validity.__all__)):  # a subpackage has few names
        eval("ak.validity.zebra", names)


def test_a_bundled_family_is_loaded_by_its_name():
    assert ak.Taxonomy.load("sycophancy").names == ak.simulation.load_family("sycophancy").names
