/** Maps search terms of readers to the terms of these pages. */

/** Synonyms. The longest match is used. */
const synonyms: { readonly [typed: string]: string } = {
  '3ds': '3-d secure',
  '3ds2': '3-d secure',
  'api key': 'tokens',
  'api keys': 'tokens',
  authentication: 'tokens',
  'getting started': 'quickstart',
  'get started': 'quickstart',
  hmac: 'signature',
  sca: '3-d secure',
  'signing secret': 'webhook signature',
}

/** The replacement query, or null. Has no side effects. */
export function synonymOf(query: string): string | null {
  const match = Object.keys(synonyms)
    .filter((words) => ` ${query} `.includes(` ${words} `))
    .toSorted((a, b) => b.length - a.length)[0]
  return match === undefined ? null : query.replace(match, synonyms[match] ?? match)
}

/** Whether every word is a prefix of a word in the text: `webhook` matches "Receive webhooks". Has no side effects. */
export function containsAllWords(text: string, query: string): boolean {
  const words = wordsOf(text)
  const queryWords = wordsOf(query)
  return queryWords.length > 0 && queryWords.every((prefix) => words.some((word) => word.startsWith(prefix)))
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}
