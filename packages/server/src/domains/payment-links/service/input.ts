/** How others read what is to be paid: a session says it as a link does. */
import type { Mode } from '../../../kernel/id.ts'

export { cartOf, fieldsOf } from '../changes.ts'

/** Where a payer may be sent: a page, never a script. */
export function isWebAddress(text: string, mode: Mode): boolean {
  const address = URL.parse(text)
  if (address === null || address.username !== '') return false
  return address.protocol === 'https:' || (mode === 'test' && address.protocol === 'http:')
}
