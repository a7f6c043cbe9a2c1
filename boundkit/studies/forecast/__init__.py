"""Forecast of training from logs, by the terms of a theorem with fitted constants."""

from boundkit.studies.forecast.forecast import (
    FittedTerm,
    Forecast,
    Marginal,
    SettingForecast,
    default_theorem,
    make_forecast,
)

__all__ = ["FittedTerm", "Forecast", "Marginal", "SettingForecast", "default_theorem", "make_forecast"]
