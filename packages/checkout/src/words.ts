/**
 * What the page says, in the payer's language. English is part of the script; every other language is one file,
 * fetched when it is needed and checked by its hash like the script itself. The build fails if a word is missing.
 */
import files from 'virtual:locales'
import en from '../locales/en.json'

type Words = typeof en
export type Word = { [Name in keyof Words]: Words[Name] extends string ? Name : never }[keyof Words]
type Values = Readonly<Record<string, string | number>>

const rightToLeft = ['ar']
let words: Words = en
let language = 'en'
/** The language with its region, for dates and amounts. */
let region = 'en'

export function say(word: Word, values: Values = {}): string {
  return filled(words[word], values)
}

export function sayCount(word: 'fix', count: number): string {
  const forms: Readonly<Record<string, string>> = words[word]
  const form = forms[new Intl.PluralRules(language).select(count)] ?? forms.other ?? ''
  return filled(form, { count: new Intl.NumberFormat(region).format(count) })
}

/** Whether there is such a word: the server may know advice that this page does not. */
export function isWord(text: string): text is Word {
  return typeof words[text as Word] === 'string'
}

export function currentLocale(): string {
  return region
}

/** The first of these that we speak: what the seller has chosen, what the browser asks for, English. */
export async function speak(chosen: string | null): Promise<void> {
  const wanted = [chosen ?? [], navigator.languages].flat()
  const found = wanted.find((tag) => isSpoken(languageOf(tag))) ?? 'en'
  if (found === region) return
  const loaded = await load(languageOf(found))
  if (loaded === null) return
  words = loaded
  language = languageOf(found)
  region = regionOf(found, wanted)
  document.documentElement.lang = language
  document.documentElement.dir = rightToLeft.includes(language) ? 'rtl' : 'ltr'
}

function isSpoken(tag: string): boolean {
  return tag === 'en' || tag in files
}

/** A link in German is read by an Austrian too, whose dates and amounts look a little different. */
function regionOf(found: string, wanted: readonly string[]): string {
  return wanted.find((tag) => languageOf(tag) === languageOf(found) && tag.includes('-')) ?? found
}

function languageOf(tag: string): string {
  return tag.split('-', 1)[0] ?? tag
}

async function load(tag: string): Promise<Words | null> {
  const file = files[tag]
  if (file === undefined) return en
  try {
    const answer = await fetch(file.url, { integrity: file.integrity })
    return answer.ok ? await answer.json() : null
  } catch {
    return null
  }
}

function filled(text: string, values: Values): string {
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ''))
}
