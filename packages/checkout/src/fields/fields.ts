/**
 * Selects the adapter of a component, and remembers in the URL which accounts did not work. The content security policy
 * of the page depends on the component in the URL, so the page is loaded again to change it.
 */
import type { CardEntry } from '../api.ts'
import type { FieldsOptions, Mount, Mounted, Payer } from './adapter.ts'

const adapters: Readonly<Record<string, () => Promise<{ readonly mount: Mount }>>> = {
  stripe: () => import('./stripe.ts'),
  adyen: () => import('./adyen.ts'),
  mollie: () => import('./mollie.ts'),
  basis_theory: () => import('./basis-theory.ts'),
}

/** A component that is not ready by then is given up. */
const readyTimeoutMs = 8_000
/** The page tries this many further accounts. */
const maxSkipped = 2

/** Rejects if the component is not ready in time. */
export async function mountFields(
  entry: CardEntry,
  at: HTMLElement,
  options: FieldsOptions,
): Promise<Mounted> {
  const load = adapters[entry.component]
  if (load === undefined) throw new Error(`There is no adapter for ${entry.component}.`)
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The card fields are not ready.')), readyTimeoutMs)
  })
  const ready = load().then(({ mount }) => mount(at, options))
  // A component that is ready too late must not stay on the page.
  ready.then((mounted) => timer === undefined && mounted.destroy()).catch(() => undefined)
  try {
    return await Promise.race([ready, timeout])
  } finally {
    clearTimeout(timer)
  }
}

export type EnteredCard = { readonly provider_token: object } | { readonly vault_token: object }

/** The card in the format of a confirmation. */
export async function enteredCard(
  entry: CardEntry,
  fields: Mounted,
  payer: Payer,
): Promise<EnteredCard | 'invalid' | 'failed'> {
  const result = await fields.tokenize(payer).catch(() => ({ is: 'failed' }) as const)
  if (result.is !== 'token') return result.is
  const { token, card } = result
  if (entry.provider_account_id === null) return { vault_token: { token } }
  const { provider_account_id } = entry
  return { provider_token: { provider_account_id, token, ...(card !== null && { card }) } }
}

function pageQuery(): URLSearchParams {
  return new URLSearchParams(location.search)
}

export function skippedAccounts(): readonly string[] {
  return (pageQuery().get('skip') ?? '').split(',').filter(Boolean)
}

/** The query with which the page reads a link or session; empty if nothing was chosen. */
export function choiceQuery(skipped: readonly string[] = skippedAccounts()): string {
  const account = pageQuery().get('account')
  const query = new URLSearchParams()
  if (skipped.length > 0) query.set('skip', skipped.join())
  if (account !== null && !skipped.includes(account)) query.set('account', account)
  return query.size === 0 ? '' : `?${query}`
}

/** Whether the policy of this page allows the component. */
export function isAllowed({ component }: CardEntry): boolean {
  return component === 'card_form' || pageQuery().get('fields') === component
}

/** The accounts to skip if this one does not work; null if the page has tried enough. */
export function skippedAfter({ provider_account_id: id }: CardEntry): readonly string[] | null {
  const skipped = skippedAccounts()
  return id === null || skipped.length >= maxSkipped ? null : [...skipped, id]
}

/** The URL of this page with the fields of another component or account. */
export function urlWith(entry: CardEntry, skipped: readonly string[]): string {
  const url = new URL(location.href)
  url.searchParams.set('fields', entry.component)
  if (entry.provider_account_id !== null) url.searchParams.set('account', entry.provider_account_id)
  if (skipped.length > 0) url.searchParams.set('skip', skipped.join())
  return url.href
}
