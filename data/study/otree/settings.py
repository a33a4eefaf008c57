"""oTree's settings; what is secret comes from the environment of the process."""

from os import environ

SESSION_CONFIGS = [dict(name="study", app_sequence=["study"], num_demo_participants=2)]
SESSION_CONFIG_DEFAULTS = dict(real_world_currency_per_point=1.00, participation_fee=0.00, doc="")
ROOMS = [dict(name="study", display_name="Study")]
PARTICIPANT_FIELDS = ["study_id", "study_token"]
SESSION_FIELDS = []
LANGUAGE_CODE = "en"
REAL_WORLD_CURRENCY_CODE = "USD"
USE_POINTS = True
ADMIN_USERNAME = "admin"
ADMIN_PASSWORD = environ.get("OTREE_ADMIN_PASSWORD")
DEMO_PAGE_INTRO_HTML = ""
SECRET_KEY = environ.get("ANTHROKIT_STUDY_SECRET", "unset")
