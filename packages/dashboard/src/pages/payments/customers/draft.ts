/** The state of the customer form, and the request body it sends. No side effects. */
import type { CreateCustomer, Customer } from '@switchyard/sdk'

export const textFields = ['name', 'email', 'phone', 'description', 'locale'] as const
export const addressFields = ['line1', 'line2', 'city', 'state', 'postal_code', 'country'] as const
type TextName = (typeof textFields)[number]
type AddressName = (typeof addressFields)[number]

export type CustomerDraft = { readonly [N in TextName | AddressName]: string }

export const emptyDraft: CustomerDraft = Object.fromEntries(
  [...textFields, ...addressFields].map((name) => [name, '']),
) as CustomerDraft

export function draftOf(customer: Customer): CustomerDraft {
  const texts = textFields.map((name) => [name, customer[name] ?? ''])
  const address = addressFields.map((name) => [name, customer.address?.[name] ?? ''])
  return Object.fromEntries([...texts, ...address]) as CustomerDraft
}

/** For a new customer the filled fields; for an existing one only the changes, with cleared fields as null. */
export function bodyOf(draft: CustomerDraft, before: CustomerDraft | null = null): CreateCustomer {
  const original = before ?? emptyDraft
  const changed = textFields.filter((name) => draft[name].trim() !== original[name])
  const body = Object.fromEntries(changed.map((name) => [name, draft[name].trim() || null]))
  if (addressFields.every((name) => draft[name].trim() === original[name])) return body
  return { ...body, address: addressOf(draft) }
}

/** The address is replaced as a whole. */
function addressOf(draft: CustomerDraft): CreateCustomer['address'] {
  const filled = addressFields.filter((name) => draft[name].trim() !== '')
  if (filled.length === 0) return null
  return Object.fromEntries(filled.map((name) => [name, textOf(name, draft[name])]))
}

function textOf(name: AddressName, text: string): string {
  return name === 'country' ? text.trim().toUpperCase() : text.trim()
}
