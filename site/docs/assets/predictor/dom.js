// Elements made of text, never of markup: what a visitor or a report wrote cannot become either.

const SVG = "http://www.w3.org/2000/svg";

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

export const element = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children);

export const drawn = (tag, attributes = {}, ...children) => filled(document.createElementNS(SVG, tag), attributes, children);

/** A number of three significant digits, or whole from 100 on. */
export function figure(value) {
  if (value === 0) return "0";
  if (Math.abs(value) >= 99.95) return value.toLocaleString("en", { maximumFractionDigits: 0 });
  return value.toFixed(Math.abs(value) >= 9.995 ? 1 : Math.abs(value) >= 0.9995 ? 2 : 3);
}

export const tenths = (value) => value.toFixed(1);

export const percent = (share) => `${(share * 100).toFixed(share > 0.005 && share < 0.0995 ? 1 : 0)} %`;
