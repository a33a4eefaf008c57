"""Every notebook runs from top to bottom; the tests inside them are the tests of the modules.

Cells marked `#| eval: false` are left out, as nbdev does: they show public data or the speed of a machine.
The tutorials and the papers' notebooks run on the wheel, in test_package.py.
"""

from pathlib import Path

import nbformat
import pytest
from kernels import run_notebook

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted(
    path
    for path in (ROOT / "nbs").rglob("*.ipynb")
    if not {".ipynb_checkpoints", "papers", "tutorials"} & set(path.parts)
)


# About four seconds of a processor or more each; the others together take two and a half minutes of one.
SLOW = """
01_core/04_run 02_models/03_embedded 02_models/05_transports 02_models/07_llm 02_models/09_batches
02_models/11_executors 04_simulation/02_prompts 04_simulation/04_dialogues 05_judging/05_offline 05_judging/06_jobs
05_judging/08_families 05_judging/09_persona_checks 05_judging/11_chinese 06_anthroscore/02_scoring
06_anthroscore/03_tone 06_anthroscore/04_files 07_analysis/02_clustered 07_analysis/04_timing
07_analysis/06_comparisons 07_analysis/10_pressure 07_analysis/11_versions 07_analysis/12_partitions
08_validity/01_annotations 08_validity/03_correction 08_validity/04_panel_checks 08_validity/07_judge_checks
08_validity/09_perception 08_validity/10_dose_response 08_validity/11_log_prevalence 08_validity/12_judge_biases
08_validity/13_alignment 08_validity/15_variance 09_figures/02_profiles 09_figures/03_differences
09_figures/04_turns 10_heartbench/05_results 10_heartbench/06_figures 10_heartbench/12_gold_standard
10_heartbench/13_hard_sets 10_heartbench/14_personas 10_heartbench/15_writing_patterns 11_study/02_conditions
11_study/05_server 11_study/06_results 11_study/09_credibility 12_panels/05_disagreement 12_panels/06_emergence
12_panels/07_rubric 12_panels/08_annotation 13_io/01_anthrobench_files 13_io/02_inspect_logs 13_io/07_scout
14_report 15_viewer 16_cli
""".split()
READS_PUBLIC_DATA = 'environ.get(\\"ANTHROKIT_DATA'  # as it stands in a notebook's file


def parameters():
    """Yield the notebooks; those that show more with the public data sets are marked public_data, and the slow ones slow."""
    for path in NOTEBOOKS:
        marks = [pytest.mark.public_data] if READS_PUBLIC_DATA in path.read_text(encoding="utf-8") else []
        name = path.relative_to(ROOT / "nbs")
        marks += [pytest.mark.slow] if name.with_suffix("").as_posix() in SLOW else []
        yield pytest.param(path, id=name.as_posix(), marks=marks)


@pytest.mark.parametrize("path", list(parameters()))
def test_notebook(path, kernels):
    notebook = nbformat.read(path, as_version=4)
    notebook.cells = [cell for cell in notebook.cells if not cell.source.startswith("#| eval: false")]
    run_notebook(notebook, path.parent)
