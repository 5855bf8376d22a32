"use strict";
// What scripts add to forms that work without them: a slider beside the field of a day, and the
// number that a slider stands at.

const DAY_MS = 86400000;

for (const slider of document.querySelectorAll("input[data-first-day]")) {
  const field = slider.form.elements[slider.dataset.sets];
  const first = Date.parse(slider.dataset.firstDay);
  const follow = () => {
    slider.value = field.value ? Math.round((Date.parse(field.value) - first) / DAY_MS) : slider.max;
  };
  follow();
  field.addEventListener("input", follow);
  slider.addEventListener("input", () => {
    const day = new Date(first + slider.value * DAY_MS);
    field.value = slider.value === slider.max ? "" : day.toISOString().slice(0, 10);
  });
  slider.closest("label").hidden = false;
}

for (const shown of document.querySelectorAll("output[for]")) {
  const field = document.getElementById(shown.htmlFor);
  field.addEventListener("input", () => { shown.value = field.value; });
}
