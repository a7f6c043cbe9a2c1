"""Forecast of training from logs, by the terms of a theorem with fitted constants."""

from boundkit.studies.forecast.answers import FittedCost, FittedTerm, Marginal, SettingForecast
from boundkit.studies.forecast.forecast import ALL_SOURCES, Forecast, make_forecast
from boundkit.studies.forecast.runs import check_logs, default_theorem

__all__ = [
    "ALL_SOURCES",
    "FittedCost",
    "FittedTerm",
    "Forecast",
    "Marginal",
    "SettingForecast",
    "check_logs",
    "default_theorem",
    "make_forecast",
]
