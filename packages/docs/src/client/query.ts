/** What readers type, in the words of these pages. */

/** Other words for the same; the longest that fits counts. */
const synonyms: { readonly [typed: string]: string } = {
  '3ds': '3-d secure',
  '3ds2': '3-d secure',
  'api key': 'tokens',
  'api keys': 'tokens',
  authentication: 'tokens',
  'getting started': 'quickstart',
  'get started': 'quickstart',
  hmac: 'signature',
  refund: 'give money back',
  refunds: 'give money back',
  sca: '3-d secure',
  'signing secret': 'webhook signature',
}

/** Pure. What is searched for instead, or null. */
export function synonymOf(query: string): string | null {
  const typed = Object.keys(synonyms)
    .filter((words) => ` ${query} `.includes(` ${words} `))
    .toSorted((one, other) => other.length - one.length)[0]
  return typed === undefined ? null : query.replace(typed, synonyms[typed] ?? typed)
}

/** Pure. Whether every word begins one of the text: `webhook` does in "Receive webhooks". */
export function holdsAll(text: string, query: string): boolean {
  const words = wordsOf(text)
  const wanted = wordsOf(query)
  return wanted.length > 0 && wanted.every((one) => words.some((word) => word.startsWith(one)))
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}
