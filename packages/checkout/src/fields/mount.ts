/** Loads the adapter of a component and mounts it. Not part of the script of the page: most pages do not need it. */
import type { CardEntry, Confirmation } from '../api.ts'
import type { Message } from '../state.ts'
import type { FieldsOptions, Mount, Mounted, Payer } from './adapter.ts'

const adapters: Readonly<Record<string, () => Promise<{ readonly mount: Mount }>>> = {
  stripe: () => import('./stripe.ts'),
  adyen: () => import('./adyen.ts'),
  mollie: () => import('./mollie.ts'),
  basis_theory: () => import('./basis-theory.ts'),
  vgs: () => import('./vgs.ts'),
}

/** After this time the page stops waiting for the component. */
const readyTimeoutMs = 8_000

export type CardFields = {
  /** The request body with the card, or a message if the component did not return one. */
  confirm(confirmation: Confirmation, amount: number): Promise<string | Message>
  destroy(): void
}

/** Rejects if the component is not ready in time. */
export async function mountFields(
  entry: CardEntry,
  at: HTMLElement,
  options: FieldsOptions,
): Promise<CardFields> {
  const load = adapters[entry.component]
  if (load === undefined) throw new Error(`There is no adapter for ${entry.component}.`)
  const ready = load().then(({ mount }) => mount(at, options))
  const timeout = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('The card fields are not ready.')), readyTimeoutMs)
  })
  const mounted = await Promise.race([ready, timeout])
  return {
    async confirm(confirmation, amount) {
      const { name = null, email = null } = confirmation
      const returnUrl = location.origin + location.pathname
      const card = await enter(entry, mounted, { name, email, amount, returnUrl })
      if (typeof card !== 'string') return JSON.stringify({ ...confirmation, ...card })
      return { kind: card === 'invalid' ? 'card_incomplete' : 'unsent' }
    },
    destroy: () => mounted.destroy(),
  }
}

/** The card as members of a confirmation. */
async function enter(
  { provider_account_id }: CardEntry,
  mounted: Mounted,
  payer: Payer,
): Promise<object | 'invalid' | 'failed'> {
  const result = await mounted.tokenize(payer).catch(() => ({ is: 'failed' }) as const)
  if (result.is !== 'token') return result.is
  const { token, card, cvcToken: cvc_token } = result
  const details = { token, ...(card !== null && { card }) }
  if (provider_account_id === null) return { vault_token: { ...details, cvc_token } }
  return { provider_token: { provider_account_id, ...details } }
}
