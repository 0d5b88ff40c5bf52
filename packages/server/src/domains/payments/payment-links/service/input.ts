/** Functions that checkout sessions share with payment links. */
import type { Mode } from '../../../../kernel/id.ts'

export { cartOf, currencyOf, fieldsOf } from '../changes.ts'

/** Whether a payer may be redirected to the URL: web pages only, never `javascript:` URLs. */
export function isAllowedUrl(text: string, mode: Mode): boolean {
  const url = URL.parse(text)
  if (url === null || url.username !== '') return false
  return url.protocol === 'https:' || (mode === 'test' && url.protocol === 'http:')
}
