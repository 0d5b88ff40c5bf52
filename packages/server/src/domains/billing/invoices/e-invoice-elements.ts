/**
 * Writes XML elements. E-invoices need elements, attributes and text, and nothing else of XML, so a serializer of a few
 * lines replaces a library. Elements without content are left out: e-invoices must not contain empty ones.
 */
export type XmlElement = {
  readonly name: string
  readonly attributes: { readonly [name: string]: string }
  readonly content: string | readonly XmlElement[]
}

type Content = XmlElement | readonly (XmlElement | null)[] | null

/** An element with other elements. Null if all of them are null. */
export function element(name: string, ...content: readonly Content[]): XmlElement | null {
  const elements = content.flat().filter((child) => child !== null)
  return elements.length === 0 ? null : { name, attributes: {}, content: elements }
}

/** An element with text. Null if there is none. */
export function textElement(
  name: string,
  text: string | null,
  attributes: XmlElement['attributes'] = {},
): XmlElement | null {
  return text === null || text.trim() === '' ? null : { name, attributes, content: text }
}

export function toXml(
  name: string,
  namespaces: XmlElement['attributes'],
  content: readonly (XmlElement | null)[],
): string {
  const elements = content.filter((child) => child !== null)
  return `<?xml version="1.0" encoding="UTF-8"?>\n${write({ name, attributes: namespaces, content: elements }, '')}`
}

function write({ name, attributes, content }: XmlElement, indent: string): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(value)}"`)
  const inner =
    typeof content === 'string'
      ? escapeXml(content)
      : `\n${content.map((child) => write(child, `${indent}  `)).join('')}${indent}`
  return `${indent}<${name}${written.join('')}>${inner}</${name}>\n`
}

const entities: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** XML 1.0 cannot contain control characters other than tab and line breaks, nor unpaired surrogates, not even escaped. */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll(/[&<>"']/g, (character) => entities[character] as string)
}
