/** What payers give beside their card: whether all is there that was asked for. Pure. */
import type { Collectable, CustomField } from '../../kernel/cart.ts'
import type { Fault } from '../../kernel/errors.ts'
import type { Address, Payer } from './session.ts'

/** As the wire has it: what is not sent is not known. */
export type PayerInput = {
  readonly name?: string | null
  readonly email?: string | null
  readonly phone?: string | null
  readonly billing_address?: Partial<Address> | null
  readonly shipping_address?: Partial<Address> | null
  readonly custom_fields?: Readonly<Record<string, string>>
}

type Questions = { readonly collect: readonly Collectable[]; readonly customFields: readonly CustomField[] }

export function payerOf(input: PayerInput): Payer {
  return {
    name: input.name ?? null,
    email: input.email ?? null,
    phone: input.phone ?? null,
    billing_address: addressOf(input.billing_address),
    shipping_address: addressOf(input.shipping_address),
    custom_fields: input.custom_fields ?? {},
  }
}

const nowhere: Address = {
  line1: null,
  line2: null,
  city: null,
  state: null,
  postal_code: null,
  country: null,
}

function addressOf(input: Partial<Address> | null | undefined): Address | null {
  return input ? { ...nowhere, ...input } : null
}

/** All of them, so that a payer has to look only once. */
export function faultsOfPayer({ collect, customFields }: Questions, payer: Payer): Fault[] {
  return [...collect.flatMap((name) => faultsOfAsked(name, payer)), ...faultsOfAnswers(customFields, payer)]
}

function faultsOfAsked(name: Collectable, payer: Payer): Fault[] {
  const given = payer[name]
  if (given === null) return [{ pointer: `/${name}`, code: 'required', detail: 'is required' }]
  if (typeof given === 'string') return []
  // What every country has. Postal codes and states many do not.
  return (['line1', 'city', 'country'] as const)
    .filter((part) => given[part] === null)
    .map((part) => ({ pointer: `/${name}/${part}`, code: 'required', detail: 'is required' }))
}

function faultsOfAnswers(fields: readonly CustomField[], { custom_fields: answers }: Payer): Fault[] {
  const unknown = Object.keys(answers).filter((key) => !fields.some((field) => field.key === key))
  return [
    ...unknown.map((key) => faultOf(key, 'unknown_member', 'was not asked for')),
    ...fields.flatMap((field) =>
      faultsOfAnswer(field, Object.hasOwn(answers, field.key) ? answers[field.key] : undefined),
    ),
  ]
}

function faultsOfAnswer({ key, type, required, options }: CustomField, answer: string | undefined): Fault[] {
  if (answer === undefined || answer === '') return required ? [faultOf(key, 'required', 'is required')] : []
  if (type === 'numeric' && !/^[0-9]{1,50}$/.test(answer))
    return [faultOf(key, 'bad_format', 'must be digits')]
  if (type === 'dropdown' && !options.includes(answer))
    return [faultOf(key, 'not_in_list', `must be one of ${options.join(', ')}`)]
  return []
}

function faultOf(key: string, code: Fault['code'], detail: string): Fault {
  // Keys are words of ours; what a caller made up is escaped as JSON Pointers are.
  return { pointer: `/custom_fields/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, code, detail }
}
