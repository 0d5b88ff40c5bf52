/** Creates a token for a bank account that the payer entered, with the mandate that the payer accepted. */
import type { Deps } from '../../../../deps.ts'
import type { DebitDetails } from '../../../../kernel/debit-details.ts'
import { refuseMember } from '../../../../kernel/errors.ts'
import { bankCodeOf, countryOfIban, isIban, normalizeIban } from '../../../../kernel/iban.ts'
import type { Id } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import type { CardToken, DisplayCard } from '../card-token.ts'
import type { SepaDebitInput } from '../schema.ts'
import * as store from '../store.ts'
import { testIbans } from '../test-ibans.ts'
import { newTokenTimes } from './token-times.ts'

export async function createDebitToken(deps: Deps, tx: Tx, input: SepaDebitInput): Promise<CardToken> {
  const iban = normalizeIban(input.iban)
  requireIban(tx, iban)
  const id = tx.newId('token')
  const debit = detailsOf(tx, id, { ...input, iban })
  const token: CardToken = {
    ...newTokenTimes(tx),
    id,
    type: 'sepa_debit',
    card: displayOf(debit),
    debit,
    fingerprint: null,
    providerAccountId: null,
  }
  const account = { iban, holderName: input.account_holder_name, email: input.email }
  const sealed = await deps.sealedBox.seal(
    tx.db,
    locationOf(tx.caller.workspaceId, id),
    JSON.stringify(account),
  )
  await store.insertDebitToken(tx, token, sealed)
  return token
}

function requireIban(tx: Tx, iban: string): void {
  if (!isIban(iban)) refuseMember('/sepa_debit/iban', 'bad_format', 'is not a valid IBAN: check its digits')
  if (tx.caller.mode === 'test' && !testIbans.includes(iban))
    refuseMember('/sepa_debit/iban', 'not_in_list', 'must be a test IBAN, such as DE89370400440532013000')
}

function detailsOf(tx: Tx, id: Id<'token'>, input: SepaDebitInput): DebitDetails {
  const { iban, account_holder_name, mandate } = input
  return {
    country: countryOfIban(iban),
    bank_code: bankCodeOf(iban),
    last4: iban.slice(-4),
    account_holder_name,
    mandate: {
      reference: `SY${id.slice(-26)}`,
      status: 'pending',
      accepted_at: mandate.accepted_at ?? tx.now.toISOString(),
      text_version: mandate.text_version,
    },
  }
}

/** Lists and sentences show a bank account like a card. */
function displayOf({ last4, country }: DebitDetails): DisplayCard {
  return {
    brand: 'sepa_debit',
    last4,
    exp_month: 0,
    exp_year: 0,
    funding: null,
    country,
    issuer: null,
    bin: null,
  }
}

/** Where a bank account is encrypted. */
export function locationOf(workspaceId: Id<'workspace'>, rowId: Id<'token'>) {
  return { workspaceId, table: 'card_tokens', column: 'bank_account', rowId }
}
