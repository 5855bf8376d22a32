"""The operations on preferences of the user."""

from dataclasses import dataclass

from simonides.api.operations.fields import Limit, PreferenceKey, PreferenceValue
from simonides.api.operations.operation import Operation
from simonides.model.access import Permission
from simonides.model.chat import Preference


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPreferences:
    """The maximum number of preferences."""

    limit: Limit = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class GetPreference:
    """A preference, by its key."""

    key: PreferenceKey


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPreference:
    """A preference of the user."""

    key: PreferenceKey
    value: PreferenceValue


OPERATIONS = (
    Operation(
        name="preferences.list", subject="preferences", method="GET", path="/v1/preferences",
        summary="List the preferences, highest confidence first.",
        request=ListPreferences, result=tuple[Preference, ...], result_name="preferences",
    ),
    Operation(
        name="preferences.get", subject="preferences", method="GET", path="/v1/preferences/{id}",
        summary="Return one preference, by its key.",
        request=GetPreference, positional=("key",), result=Preference, problems=(404,),
    ),
    Operation(
        name="preferences.set", subject="preferences", method="PUT", path="/v1/preferences/{id}",
        summary="Store a preference that the user stated.",
        request=SetPreference, positional=("key", "value"), result=Preference,
        permission=Permission.WRITE, shows=True, example={"value": "short"},
    ),
    Operation(
        name="preferences.infer", subject="preferences", method="POST",
        path="/v1/preferences/{id}/infer",
        summary="Store a preference that was inferred; repetition raises its confidence.",
        request=SetPreference, positional=("key", "value"), result=Preference,
        permission=Permission.WRITE, shows=True, writes=True, example={"value": "short"},
    ),
    Operation(
        name="preferences.forget", subject="preferences", method="DELETE",
        path="/v1/preferences/{id}", summary="Forget a preference.",
        request=GetPreference, positional=("key",), result=bool, result_name="forgotten",
        permission=Permission.WRITE, missing="preference", problems=(404,),
    ),
)  # fmt: skip
