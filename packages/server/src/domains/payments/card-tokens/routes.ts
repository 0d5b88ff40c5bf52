import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import { comparableRequest } from './card-input.ts'
import { ConfirmVault, CreateToken, present, presentVault, TokenObject, VaultObject } from './schema.ts'
import { confirmVault, getVault } from './service/confirmation.ts'
import { createToken } from './service/create.ts'

export const cardTokenOperations = (deps: Deps) => [
  operation({
    id: 'tokens.create',
    method: 'POST',
    path: '/tokens',
    summary: 'Create a card token',
    description:
      'Call this from the payment page with a publishable API token. The card token can be used once, within 15 minutes. The test environment accepts only the published test cards. Production accepts card numbers only if `GET /vault` says so. With the type `vault_token`, the card is in the card vault of the workspace.',
    body: CreateToken,
    status: 201,
    response: TokenObject,
    errors: [
      'raw_cards_disabled',
      'test_card_required',
      'reference_not_found',
      'conflict',
      'vault_unavailable',
    ],
    bodyForIdempotency: comparableRequest,
    present,
    handle: ({ caller, body }) => createToken(deps, caller, body),
  }),
  operation({
    id: 'vault.get',
    method: 'GET',
    path: '/vault',
    summary: 'Check whether card numbers are accepted',
    description:
      'Returns the vault status and the statement that must be confirmed before live card numbers are accepted.',
    response: VaultObject,
    present: presentVault,
    handle: ({ caller }) => getVault(deps, caller),
  }),
  operation({
    id: 'vault.confirm',
    method: 'POST',
    path: '/vault/confirm',
    summary: 'Confirm the acceptance of card numbers',
    description:
      'In production, card numbers are accepted once an ADMIN has sent the statement and the operator allows it. The confirmation is recorded in the audit log. Repeated calls have no effect.',
    body: ConfirmVault,
    response: VaultObject,
    errors: ['conflict'],
    present: presentVault,
    handle: ({ caller, body }) => confirmVault(deps, caller, body),
  }),
]
