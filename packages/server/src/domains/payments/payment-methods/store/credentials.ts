/**
 * The tokens of saved cards at provider accounts. A payment method has at most one for each account, in the table
 * `payment_method_provider_tokens`.
 */
import { type RawBuilder, sql } from 'kysely'
import { type Id, idFromUuid, idOrNull, type Mode, uuidOf } from '../../../../kernel/id.ts'
import { ConcurrentChange, type Tx } from '../../../../platform/db/unit-of-work.ts'
import type { ProviderCredential } from '../payment-method.ts'

export type CredentialRow = {
  readonly account: string
  readonly status: string
  readonly payment: string | null
  readonly network: string | null
  readonly created: string
}

/** The credentials of each selected payment method, oldest first: their ids sort by time of creation. */
export const credentialsColumn = credentialsWith<CredentialRow>(sql``)

/** A credential with its encrypted token as hexadecimal digits. The token is null if the account did not return one. */
export type CredentialWithTokenRow = CredentialRow & { readonly sealed: string | null }

/** Reads the tokens with the credentials, so that a payment needs one statement for a payment method and its tokens. */
export const credentialsWithTokensColumn = credentialsWith<CredentialWithTokenRow>(
  sql`, 'sealed', encode(credential.sealed, 'hex')`,
)

function credentialsWith<Row>(more: RawBuilder<unknown>) {
  return sql<readonly Row[] | null>`(
    select json_agg(json_build_object('account', credential.provider_account_id, 'status', credential.status,
      'payment', credential.payment_id, 'network', credential.network_transaction_id,
      'created', credential.created_at${more}) order by credential.payment_id nulls first)
    from payment_method_provider_tokens as credential
    where credential.workspace_id = payment_methods.workspace_id and credential.payment_method_id = payment_methods.id
  )`.as('credentials')
}

export function credentialFromRow(mode: Mode, row: CredentialRow): ProviderCredential {
  return {
    providerAccountId: idFromUuid('provider_account', mode, row.account),
    status: row.status as ProviderCredential['status'],
    paymentId: idOrNull('payment', mode, row.payment),
    networkTransactionId: row.network,
    createdAt: new Date(row.created),
  }
}

export type NewCredential = ProviderCredential & { readonly sealed: Buffer | null }

/** Inserts the credential, or replaces one that has failed or has the same payment. The caller must have locked the payment method. */
export async function writeCredential(
  tx: Tx,
  id: Id<'payment_method'>,
  credential: NewCredential,
): Promise<void> {
  const { paymentId, sealed, status, networkTransactionId, createdAt } = credential
  const changeable = {
    status,
    sealed,
    payment_id: paymentId === null ? null : uuidOf(paymentId),
    network_transaction_id: networkTransactionId,
    created_at: createdAt,
  }
  const { numInsertedOrUpdatedRows: written } = await tx.db
    .insertInto('payment_method_provider_tokens')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      payment_method_id: uuidOf(id),
      provider_account_id: uuidOf(credential.providerAccountId),
      ...changeable,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'payment_method_id', 'provider_account_id'])
        .doUpdateSet(changeable)
        .where((eb) =>
          eb.or([
            eb('payment_method_provider_tokens.status', '=', 'failed'),
            eb('payment_method_provider_tokens.payment_id', '=', changeable.payment_id),
          ]),
        ),
    )
    .executeTakeFirstOrThrow()
  if (written !== 1n) throw new ConcurrentChange(id)
}

/** The encrypted token, and the payment under whose id it is encrypted. */
export type SealedToken = { readonly sealed: Buffer; readonly paymentId: Id<'payment'> | null }

/** By the provider account that issued them. */
export type SealedTokens = ReadonlyMap<Id<'provider_account'>, SealedToken>

export function sealedTokensOf(mode: Mode, rows: readonly CredentialWithTokenRow[]): SealedTokens {
  return new Map(
    rows.flatMap(({ account, sealed, payment }) =>
      sealed === null
        ? []
        : [
            [
              idFromUuid('provider_account', mode, account),
              { sealed: Buffer.from(sealed, 'hex'), paymentId: idOrNull('payment', mode, payment) },
            ],
          ],
    ),
  )
}

export async function deleteCredentials(tx: Tx, id: Id<'payment_method'>): Promise<void> {
  await tx.db
    .deleteFrom('payment_method_provider_tokens')
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('payment_method_id', '=', uuidOf(id))
    .execute()
}
