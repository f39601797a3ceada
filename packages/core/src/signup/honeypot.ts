/**
 * Name of the field that people leave empty and simple robots fill in. In a file of its own: it is all a page needs of
 * us to show a form.
 */
export const honeypotField = 'hp_field';
