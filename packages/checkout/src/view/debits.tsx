/**
 * The fields of bank debits, and the text that the payer accepts: the mandate of a SEPA or Bacs debit, or the authorization
 * of an ACH debit. Loaded when the payer chooses a debit.
 */
import type { Values } from '../form.ts'
import { asciiDigits } from '../money.ts'
import { acceptedTextVersion, debitText } from './debit-texts.ts'
import { SelectField, TextField } from './field.tsx'
import { HolderField, type MethodForm, missing, trimmed } from './method-form.tsx'
import type { Fields } from './pay-form.tsx'

export type Debit = {
  readonly type: string
  readonly form: MethodForm
  /** What the payer accepts. */
  readonly texts: (sale: Fields['sale']) => readonly string[]
}

export async function loadDebit(type: string): Promise<Debit> {
  if (type !== 'bacs_debit') return { type, form: debitForm(type), texts: (sale) => [mandateOf(type, sale)] }
  const { bacsTexts } = await import('./bacs-texts.ts')
  return { type, form: debitForm(type), texts: ({ seller }) => bacsTexts(seller.name) }
}

export function DebitFields({ debit, ...fields }: Fields & { debit: Debit }) {
  const { type, texts } = debit
  return (
    <>
      {type === 'sepa_debit' && <NumberField {...fields} name="sepa_debit.iban" label="IBAN" />}
      {type === 'ach_debit' && <AchFields {...fields} />}
      {type === 'bacs_debit' && <BacsFields {...fields} />}
      <HolderField {...fields} type={type} />
      {texts(fields.sale).map((paragraph) => (
        <p class="hint next">{paragraph}</p>
      ))}
    </>
  )
}

function AchFields(fields: Fields) {
  return (
    <>
      <NumberField {...fields} name="ach_debit.routing_number" label={debitText('routing')} />
      <NumberField {...fields} name="ach_debit.account_number" label={debitText('account')} />
      <SelectField
        {...fields.propsOf('ach_debit.account_type')}
        label={debitText('account_type')}
        options={[
          { value: 'checking', label: debitText('checking') },
          { value: 'savings', label: debitText('savings') },
        ]}
      />
    </>
  )
}

function BacsFields(fields: Fields) {
  return (
    <>
      <NumberField {...fields} name="bacs_debit.sort_code" label={debitText('sort_code')} />
      <NumberField {...fields} name="bacs_debit.account_number" label={debitText('account')} />
    </>
  )
}

/** Published test accounts. The test environment accepts no others. */
const testAccounts: Readonly<Record<string, string>> = {
  'sepa_debit.iban': 'DE89 3704 0044 0532 0130 00',
  'ach_debit.routing_number': '110000000',
  'ach_debit.account_number': '000123456789',
  'bacs_debit.sort_code': '10-88-00',
  'bacs_debit.account_number': '00012345',
}

function NumberField({ name, label, ...fields }: Fields & { name: string; label: string }) {
  return (
    <TextField
      {...fields.propsOf(name)}
      label={label}
      hint={fields.sale.mode === 'test' ? (testAccounts[name] ?? null) : null}
      input={{ dir: 'ltr', spellcheck: false, autocomplete: 'off', autocapitalize: 'characters' }}
    />
  )
}

function mandateOf(type: string, { seller, checkout_mode: mode }: Fields['sale']): string {
  const authorization = mode === 'payment' ? 'ach_once' : 'ach_again'
  return debitText(type === 'ach_debit' ? authorization : 'sepa', { seller: seller.name })
}

/** The form of a type of debit. */
function debitForm(type: string): MethodForm {
  const { validate, account } = accounts[type] ?? bacs
  return {
    validate: (values) => ({ ...validate(values), [`${type}.holder`]: missing(values, `${type}.holder`) }),
    confirmation: (values) => ({
      [type]: {
        ...account(values),
        account_holder_name: trimmed(values, `${type}.holder`),
        email: trimmed(values, 'email'),
        mandate: { text_version: acceptedTextVersion() },
      },
    }),
  }
}

type Account = {
  readonly validate: MethodForm['validate']
  /** The API fields that identify the account. */
  readonly account: (values: Values) => Readonly<Record<string, string>>
}

const sepa: Account = {
  validate: (values) => ({ 'sepa_debit.iban': ibanError(ibanOf(values)) }),
  account: (values) => ({ iban: ibanOf(values) }),
}

const ach: Account = {
  validate: (values) => ({
    'ach_debit.routing_number':
      missing(values, 'ach_debit.routing_number') ??
      (isRoutingNumber(digits(values, 'ach_debit.routing_number')) ? null : debitText('routing_wrong')),
    'ach_debit.account_number': accountError(values, 'ach_debit.account_number', /^\d{5,17}$/),
    'ach_debit.account_type': missing(values, 'ach_debit.account_type'),
  }),
  account: (values) => ({
    routing_number: digits(values, 'ach_debit.routing_number'),
    account_number: digits(values, 'ach_debit.account_number'),
    account_type: trimmed(values, 'ach_debit.account_type'),
  }),
}

const bacs: Account = {
  validate: (values) => ({
    'bacs_debit.sort_code':
      missing(values, 'bacs_debit.sort_code') ??
      (/^\d{6}$/.test(digits(values, 'bacs_debit.sort_code')) ? null : debitText('sort_code_wrong')),
    'bacs_debit.account_number': accountError(values, 'bacs_debit.account_number', /^\d{6,8}$/),
  }),
  account: (values) => ({
    sort_code: digits(values, 'bacs_debit.sort_code'),
    // Some banks print account numbers with fewer than eight digits.
    account_number: digits(values, 'bacs_debit.account_number').padStart(8, '0'),
  }),
}

const accounts: Readonly<Record<string, Account>> = { sepa_debit: sepa, ach_debit: ach, bacs_debit: bacs }

const ibanOf = (values: Values) => trimmed(values, 'sepa_debit.iban').replaceAll(/\s/g, '').toUpperCase()
const digits = (values: Values, field: string) => asciiDigits(trimmed(values, field)).replaceAll(/[\s-]/g, '')

function accountError(values: Values, field: string, pattern: RegExp): string | null {
  return missing(values, field) ?? (pattern.test(digits(values, field)) ? null : debitText('account_wrong'))
}

function ibanError(iban: string): string | null {
  if (iban === '') return debitText('iban_missing')
  return /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(iban) && remainderOf(iban) === 1
    ? null
    : debitText('iban_wrong')
}

/** ISO 7064: the number with its first four characters at the end, modulo 97. */
function remainderOf(iban: string): number {
  const digitsOfIban = (iban.slice(4) + iban.slice(0, 4)).replaceAll(/[A-Z]/g, (letter) =>
    String(letter.charCodeAt(0) - 55),
  )
  return [...digitsOfIban].reduce((rest, digit) => (rest * 10 + Number(digit)) % 97, 0)
}

/** The ninth digit of an ABA routing number is a check digit. */
function isRoutingNumber(number: string): boolean {
  const sum = [...number].reduce((total, digit, at) => total + Number(digit) * ([3, 7, 1][at % 3] ?? 0), 0)
  return /^\d{9}$/.test(number) && sum > 0 && sum % 10 === 0
}
