/** Names of the types of cancellation requests. No side effects. */
import type { CancellationRequest } from '@switchyard/sdk'

const texts: { readonly [T in CancellationRequest['type']]: string } = {
  cancellation: 'Cancellation at the end of the period',
  extraordinary: 'Extraordinary cancellation',
  withdrawal: 'Withdrawal from the contract',
}

export function typeText(type: CancellationRequest['type']): string {
  return texts[type]
}
