/** Creates a token for a bank account that the payer entered, with the mandate that the payer accepted. */
import type { Deps } from '../../../../deps.ts'
import { isRoutingNumber, normalizeSortCode } from '../../../../kernel/bank-codes.ts'
import type { DebitDetails } from '../../../../kernel/debit-details.ts'
import { refuseMember } from '../../../../kernel/errors.ts'
import { bankCodeOf, countryOfIban, isIban, normalizeIban } from '../../../../kernel/iban.ts'
import type { Id } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import type { AccountNumber, BankAccount, DebitType } from '../../../../providers/contract.ts'
import type { CardToken, DisplayCard } from '../card-token.ts'
import type { DebitInput } from '../schema.ts'
import * as store from '../store.ts'
import { isTestBankAccount } from '../test-bank-accounts.ts'
import { newTokenTimes } from './token-times.ts'

export async function createDebitToken(
  deps: Deps,
  tx: Tx,
  type: DebitType,
  input: DebitInput,
): Promise<CardToken> {
  const number = numberIn(input)
  requireNumber(tx, number)
  const id = tx.newId('token')
  const debit = detailsOf(tx, id, number, input)
  const token: CardToken = {
    ...newTokenTimes(tx),
    id,
    type,
    card: displayOf(type, debit),
    debit,
    accountHolderName: null,
    fingerprint: null,
    providerAccountId: null,
  }
  const account: BankAccount = { ...number, holderName: input.account_holder_name, email: input.email }
  const sealed = await deps.sealedBox.seal(
    tx.db,
    locationOf(tx.caller.workspaceId, id),
    JSON.stringify(account),
  )
  await store.insertDebitToken(tx, token, sealed)
  return token
}

function numberIn(input: DebitInput): AccountNumber {
  if ('iban' in input) return { iban: normalizeIban(input.iban) }
  const { account_number: accountNumber } = input
  if ('sort_code' in input) return { sortCode: normalizeSortCode(input.sort_code), accountNumber }
  return { routingNumber: input.routing_number, accountNumber, accountType: input.account_type ?? 'checking' }
}

function requireNumber(tx: Tx, number: AccountNumber): void {
  const [member, example, isValid] = describe(number)
  if (!isValid) refuseMember(member, 'bad_format', `is not a valid ${nameOf(number)}: check its digits`)
  if (tx.caller.mode === 'test' && !isTestBankAccount(number))
    refuseMember(member, 'not_in_list', `must be a test ${example}`)
}

/**
 * The member that an error names, an example of a test account, and whether the check digits are valid. Sort codes
 * have no check digits.
 */
function describe(number: AccountNumber): readonly [string, string, boolean] {
  if ('iban' in number)
    return ['/sepa_debit/iban', 'IBAN, such as DE89370400440532013000', isIban(number.iban)]
  if ('sortCode' in number)
    return ['/bacs_debit/account_number', 'account, such as 00012345 with the sort code 108800', true]
  return isRoutingNumber(number.routingNumber)
    ? ['/ach_debit/account_number', 'account, such as 000123456789 with the routing number 110000000', true]
    : ['/ach_debit/routing_number', '', false]
}

const nameOf = (number: AccountNumber) => ('iban' in number ? 'IBAN' : 'routing number')

function detailsOf(tx: Tx, id: Id<'token'>, number: AccountNumber, input: DebitInput): DebitDetails {
  const { account_holder_name, mandate } = input
  return {
    ...bankOf(number),
    account_holder_name,
    mandate: {
      reference: `SY${id.slice(-26)}`,
      status: 'pending',
      accepted_at: mandate.accepted_at ?? tx.now.toISOString(),
      text_version: mandate.text_version,
    },
  }
}

function bankOf(number: AccountNumber): Pick<DebitDetails, 'country' | 'bank_code' | 'last4'> {
  if ('iban' in number) {
    const { iban } = number
    return { country: countryOfIban(iban), bank_code: bankCodeOf(iban), last4: iban.slice(-4) }
  }
  const last4 = number.accountNumber.slice(-4)
  return 'sortCode' in number
    ? { country: 'GB', bank_code: number.sortCode, last4 }
    : { country: 'US', bank_code: number.routingNumber, last4 }
}

/** Lists and sentences show a bank account like a card. */
function displayOf(type: DebitType, { last4, country }: DebitDetails): DisplayCard {
  return {
    brand: type,
    last4,
    exp_month: 0,
    exp_year: 0,
    funding: null,
    country,
    issuer: null,
    bin: null,
  }
}

/** The location of an encrypted bank account. */
export function locationOf(workspaceId: Id<'workspace'>, rowId: Id<'token'>) {
  return { workspaceId, table: 'card_tokens', column: 'bank_account', rowId }
}
