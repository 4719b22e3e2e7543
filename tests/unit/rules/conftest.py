"""Property tests say nothing about speed: a slow machine must not fail them."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "rules", deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("rules")
