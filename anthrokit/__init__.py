"""anthrokit: measure anthropomorphism in language models, from notebooks.

`import anthrokit as ak` gives the names that most studies need. The subpackages below offer the rest, such as
`ak.analysis.factor_model`.

    core         runs, tables, votes and errors, which every stage uses
    models       every model behind one call: limits, retries, budgets, batches
    work         one engine for everything that is paid for or slow
    simulation   behaviours, prompts, and dialogues between two models
    judging      judges, which decide which behaviours a message shows
    anthroscore  implicit anthropomorphism of texts
    analysis     statistics of labels: profiles, emergence, comparisons, agreement
    validity     people's labels, the accuracy of judges, corrected rates
    figures      one function for each figure
    heartbench   counselling cases, answers, rubric judges, scores
    study        studies with people: conditions, gateway, questionnaires, outcomes
    panels       widgets to inspect and label a run in the notebook
    io           readers and writers of other tools' files
    report       one HTML file for each run
    viewer       the panels in a browser, over all runs of a folder
    cli          the command line

Names are loaded on first use, so that `import anthrokit` is fast. `__init__.pyi` lists them.
"""
from anthrokit.core.errors import lazy_names

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
