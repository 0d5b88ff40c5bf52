/** Which scenario an operation plays: its card's, unless a script, a bad day or a duty to authenticate says else. */
import { scenarioOfNumber } from './cards.ts'
import { isUnlucky } from './config.ts'
import type { Fault, OperationRequest } from './protocol.ts'
import { usesCard } from './protocol.ts'
import { behaviourOf, readScript } from './scenarios.ts'
import type { Account, World } from './world.ts'

export type Choice = { readonly card: string; readonly scenario: string; readonly script: string | null }

export function chooseScenario(world: World, account: Account, request: OperationRequest): Choice | Fault {
  if (!usesCard(request.kind)) return inherited(account, request)
  const card = cardOf(account, request)
  if (card === null) return { code: 'stored_credential_invalid', message: 'There is no such token here.' }
  // Scripts are for what is taken from a stored card; to verify it is no attempt.
  if (request.simulate !== null && request.kind === 'authorize') {
    return scripted(world, request, request.simulate, card)
  }
  return { card, scenario: adjusted(account, request, card), script: null }
}

/** A capture, void or refund goes as the card of its authorization says, also through the capture it names. */
function inherited(account: Account, { parent_reference: parent }: OperationRequest): Choice {
  const scenario = account.operations.get(parent ?? '')?.scenario ?? 'approve'
  return { card: scenario, scenario, script: null }
}

function cardOf(account: Account, { instrument }: OperationRequest): string | null {
  if (instrument === null) return null
  if (instrument.type === 'token') return account.tokens.get(instrument.token) ?? null
  return scenarioOfNumber(instrument.number) ?? 'decline:14'
}

/** One step per attempt of a customer, at whichever account; the last step goes on for ever. */
function scripted(world: World, request: OperationRequest, text: string, card: string): Choice | Fault {
  const steps = readScript(text)
  if (steps === null) {
    return { code: 'provider_request_invalid', message: 'metadata.simulate is no list of scenarios.' }
  }
  const script = `${request.customer_id ?? request.payment_id}|${text}`
  const played = world.scriptSteps.get(script) ?? 0
  return { card, scenario: steps[Math.min(played, steps.length - 1)] as string, script }
}

function adjusted(account: Account, request: OperationRequest, card: string): string {
  const asksPayer = behaviourOf(card, request.kind).course.is === 'challenge'
  // Nobody is there to answer.
  if (request.initiator === 'merchant') return asksPayer ? 'approve' : unlucky(account, request, card)
  if (card === 'approve' && request.three_d_secure === 'required') return '3000'
  return unlucky(account, request, card)
}

function unlucky(account: Account, { reference }: OperationRequest, card: string): string {
  return card === 'approve' && isUnlucky(account.config, reference) ? 'decline:05' : card
}
