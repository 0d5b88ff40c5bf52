/** URLs that people are redirected to: web pages only, never `javascript:` URLs. */
import type { Fault } from './errors.ts'
import type { Mode } from './id.ts'

/** The validation error of a URL in a request, if any. Null means no URL, which is valid. */
export function faultsOfUrl(pointer: string, text: string | null, mode: Mode): Fault[] {
  if (text === null || isAllowed(text, mode)) return []
  return [
    { pointer, code: 'bad_format', detail: 'must be an https URL (http is allowed in the test environment)' },
  ]
}

function isAllowed(text: string, mode: Mode): boolean {
  const url = URL.parse(text)
  if (url === null || url.username !== '') return false
  return url.protocol === 'https:' || (mode === 'test' && url.protocol === 'http:')
}
