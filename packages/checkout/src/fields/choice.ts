/**
 * Which card fields this page shows, and which accounts did not work. Both are in the URL: the content security policy of
 * the page depends on the component, so the page is loaded again to change it.
 */
import type { CardEntry } from '../api.ts'

/** How many further accounts the page tries. */
const maxSkipped = 2

const page = new URL(location.href)
const query = page.searchParams
const skippedAccounts = query.get('skip')?.split(',') ?? []

/** The query with which the page reads a link or session: the accounts to skip, and the account that it shows. */
export const choiceQuery = page.search

/** Whether the payer enters the card in fields of a provider or vault. */
export function hasFields(entry: CardEntry | null): entry is CardEntry {
  return entry !== null && entry.component !== 'card_form'
}

/** Whether the policy of this page allows the component. */
export function isAllowed(entry: CardEntry): boolean {
  return !hasFields(entry) || query.get('fields') === entry.component
}

/** The query that skips this account too; null if the page has tried enough. */
export function querySkipping({ provider_account_id: id }: CardEntry): string | null {
  if (id === null || skippedAccounts.length >= maxSkipped) return null
  query.set('skip', [...skippedAccounts, id].join())
  return page.search
}

/** The URL of this page with the fields of another component or account. */
export function urlWith({ component, provider_account_id: id }: CardEntry): string {
  query.set('fields', component)
  if (id !== null) query.set('account', id)
  return page.href
}
