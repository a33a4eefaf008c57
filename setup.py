"""Build anthrokit from settings.ini, which holds its metadata."""
from configparser import ConfigParser
from pathlib import Path

from setuptools import find_packages, setup

here = Path(__file__).parent
parser = ConfigParser(delimiters=["="])
parser.read(here / "settings.ini", encoding="utf-8")
settings = parser["DEFAULT"]
extras = {
    name.removesuffix("_requirements"): settings[name].split()
    for name in settings
    if name.endswith("_requirements") and name != "dev_requirements"
}
extras["all"] = sorted({requirement for extra in extras.values() for requirement in extra})
extras["dev"] = settings["dev_requirements"].split()

NOTEBOOKS = {f"anthrokit.{part}": f"nbs/{part}" for part in ("papers", "tasks", "tutorials")}

setup(
    name=settings["lib_name"],
    version=settings["version"],
    description=settings["description"],
    long_description=(here / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    author=settings["author"],
    author_email=settings["author_email"],
    license="Apache-2.0",
    license_files=["LICENSE"],
    url=settings["git_url"],
    keywords=settings["keywords"].split(),
    python_requires=">=" + settings["min_python"],
    install_requires=settings["requirements"].split(),
    extras_require=extras,
    entry_points={
        "console_scripts": settings["console_scripts"].split(),
        "inspect_ai": ["anthrokit = anthrokit.io.inspect_logs"],  # inspect eval anthrokit/anthrobench
    },
    # data/ and the notebooks are installed as anthrokit/data, anthrokit/papers, …: one copy of each file.
    packages=[*find_packages(include=["anthrokit", "anthrokit.*"]), "anthrokit.data", *NOTEBOOKS],
    package_dir={"anthrokit": "anthrokit", "anthrokit.data": "data", **NOTEBOOKS},
    package_data={
        "anthrokit": ["py.typed"],
        "anthrokit.data": ["**/*"],
        **{name: ["*.ipynb"] for name in NOTEBOOKS},
    },
    include_package_data=False,
    classifiers=[
        "Development Status :: 3 - Alpha",
        "Intended Audience :: Science/Research",
        "Framework :: Jupyter",
        "Programming Language :: Python :: 3.11",
        "Programming Language :: Python :: 3.12",
        "Programming Language :: Python :: 3.13",
        "Topic :: Scientific/Engineering :: Artificial Intelligence",
    ],
    zip_safe=False,
)
