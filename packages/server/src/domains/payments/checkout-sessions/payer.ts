/** Validates the details that payers enter besides their card. Pure functions. */
import type { Collectable, CustomField } from '../../../kernel/cart.ts'
import type { Fault } from '../../../kernel/errors.ts'
import type { Address, Payer } from './session.ts'

/** In the format of the API. Omitted members are unknown. */
export type PayerInput = {
  readonly name?: string | null
  readonly email?: string | null
  readonly phone?: string | null
  readonly billing_address?: Partial<Address> | null
  readonly shipping_address?: Partial<Address> | null
  readonly custom_fields?: Readonly<Record<string, string>>
}

type RequestedDetails = {
  readonly collect: readonly Collectable[]
  readonly customFields: readonly CustomField[]
}

export function toPayer(input: PayerInput): Payer {
  return {
    name: input.name ?? null,
    email: input.email ?? null,
    phone: input.phone ?? null,
    billing_address: addressOf(input.billing_address),
    shipping_address: addressOf(input.shipping_address),
    custom_fields: input.custom_fields ?? {},
  }
}

const emptyAddress: Address = {
  line1: null,
  line2: null,
  city: null,
  state: null,
  postal_code: null,
  country: null,
}

function addressOf(input: Partial<Address> | null | undefined): Address | null {
  return input ? { ...emptyAddress, ...input } : null
}

/** Returns all errors, so that the payer can correct them together. */
export function faultsOfPayer({ collect, customFields }: RequestedDetails, payer: Payer): Fault[] {
  return [
    ...collect.flatMap((name) => faultsOfDetail(name, payer)),
    ...faultsOfCustomFields(customFields, payer),
  ]
}

function faultsOfDetail(name: Collectable, payer: Payer): Fault[] {
  const value = payer[name]
  if (value === null) return [{ pointer: `/${name}`, code: 'required', detail: 'is required' }]
  if (typeof value === 'string') return []
  // Only these are required: many countries have no postal codes or states.
  return (['line1', 'city', 'country'] as const)
    .filter((part) => value[part] === null)
    .map((part) => ({ pointer: `/${name}/${part}`, code: 'required', detail: 'is required' }))
}

function faultsOfCustomFields(fields: readonly CustomField[], { custom_fields: values }: Payer): Fault[] {
  const unknown = Object.keys(values).filter((key) => !fields.some((field) => field.key === key))
  return [
    ...unknown.map((key) => faultOf(key, 'unknown_member', 'is not a field of this checkout session')),
    ...fields.flatMap((field) =>
      faultsOfCustomField(field, Object.hasOwn(values, field.key) ? values[field.key] : undefined),
    ),
  ]
}

function faultsOfCustomField(
  { key, type, required, options }: CustomField,
  value: string | undefined,
): Fault[] {
  if (value === undefined || value === '') return required ? [faultOf(key, 'required', 'is required')] : []
  if (type === 'numeric' && !/^[0-9]{1,50}$/.test(value))
    return [faultOf(key, 'bad_format', 'must contain 1 to 50 digits only')]
  if (type === 'dropdown' && !options.includes(value))
    return [faultOf(key, 'not_in_list', `must be one of ${options.join(', ')}`)]
  return []
}

function faultOf(key: string, code: Fault['code'], detail: string): Fault {
  // Unknown keys come from the caller, so they are escaped as in JSON Pointers.
  return { pointer: `/custom_fields/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, code, detail }
}
