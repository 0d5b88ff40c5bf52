import type { Deps } from '../../deps.ts'
import { operation } from '../../platform/http/operation.ts'
import { ConfirmVault, CreateToken, present, presentVault, TokenObject, VaultObject } from './schema.ts'
import { confirmVault, getVault } from './service/confirmation.ts'
import { createToken } from './service/create.ts'
import { comparable } from './typed-card.ts'

export const cardTokenOperations = (deps: Deps) => [
  operation({
    id: 'tokens.create',
    method: 'POST',
    path: '/tokens',
    summary: 'Create a token of a card',
    description:
      'Called by the page on which a payer types, with a publishable token. It can be used once, within 15 minutes. The test environment takes the published test cards alone; production takes numbers only where `GET /vault` says so.',
    body: CreateToken,
    status: 201,
    answer: TokenObject,
    refuses: ['raw_cards_disabled', 'test_card_required', 'reference_not_found', 'conflict'],
    comparable,
    present,
    verb: ({ caller, body }) => createToken(deps, caller, body),
  }),
  operation({
    id: 'vault.get',
    method: 'GET',
    path: '/vault',
    summary: 'Say whether card numbers are taken',
    description: 'Answers the sentence that has to be confirmed before live card numbers are taken.',
    answer: VaultObject,
    present: presentVault,
    verb: ({ caller }) => getVault(deps, caller),
  }),
  operation({
    id: 'vault.confirm',
    method: 'POST',
    path: '/vault/confirm',
    summary: 'Confirm what taking card numbers means',
    description:
      'In production numbers are taken once an ADMIN has sent the sentence and the operator allows it. Who did is in the audit log. Repeating it changes nothing.',
    body: ConfirmVault,
    answer: VaultObject,
    refuses: ['conflict'],
    present: presentVault,
    verb: ({ caller, body }) => confirmVault(deps, caller, body),
  }),
]
