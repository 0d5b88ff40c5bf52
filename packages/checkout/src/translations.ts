/**
 * Translations. English is part of the script. Every other language is a file that is loaded when needed, with an
 * integrity hash like the script. The build fails if a translation is missing.
 */
import files from 'virtual:locales'
import en from '../locales/en.json'

type Messages = typeof en
export type MessageKey = {
  [Name in keyof Messages]: Messages[Name] extends string ? Name : never
}[keyof Messages]
type Values = Readonly<Record<string, string | number>>

const rightToLeft = ['ar']
let messages: Messages = en
let language = 'en'
/** The language with its region, for dates and amounts. */
let region = 'en'

export function translate(key: MessageKey, values: Values = {}): string {
  return fillPlaceholders(messages[key], values)
}

export function translateCount(key: 'fix', count: number): string {
  const forms: Readonly<Record<string, string>> = messages[key]
  const pluralForm = forms[new Intl.PluralRules(language).select(count)] ?? forms.other ?? ''
  return fillPlaceholders(pluralForm, { count: new Intl.NumberFormat(region).format(count) })
}

/** Whether the key exists: the server may send advice codes for which this page has no text. */
export function isMessageKey(text: string): text is MessageKey {
  return typeof messages[text as MessageKey] === 'string'
}

export function currentLocale(): string {
  return region
}

/** The language that the page around the payment element has chosen. */
let embedderChoice: string | null = null

export function preferLocale(locale: string | null): void {
  embedderChoice = locale
}

/** Loads the first available language: the seller's choice, then the languages of the browser, then English. */
export async function loadLocale(sellerChoice: string | null): Promise<void> {
  const preferred = [embedderChoice ?? sellerChoice ?? [], navigator.languages].flat()
  const locale = preferred.find((tag) => isAvailable(languageOf(tag))) ?? 'en'
  if (locale === region) return
  const loaded = await loadMessages(languageOf(locale))
  if (loaded === null) return
  messages = loaded
  language = languageOf(locale)
  region = regionOf(locale, preferred)
  document.documentElement.lang = language
  document.documentElement.dir = rightToLeft.includes(language) ? 'rtl' : 'ltr'
}

function isAvailable(tag: string): boolean {
  return tag === 'en' || tag in files
}

/** The region of the browser for the chosen language: a German page uses Austrian dates and amounts for de-AT. */
function regionOf(locale: string, preferred: readonly string[]): string {
  return preferred.find((tag) => languageOf(tag) === languageOf(locale) && tag.includes('-')) ?? locale
}

function languageOf(tag: string): string {
  return tag.split('-', 1)[0] ?? tag
}

async function loadMessages(tag: string): Promise<Messages | null> {
  const file = files[tag]
  if (file === undefined) return en
  try {
    const response = await fetch(file.url, { integrity: file.integrity })
    return response.ok ? await response.json() : null
  } catch {
    return null
  }
}

function fillPlaceholders(text: string, values: Values): string {
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ''))
}
