/**
 * A business's own provider: it serves the calls of the protocol under an address that the account names. The
 * simulator is the same with other settings, so what is proven with it holds for every business that keeps to
 * the protocol.
 */
import type { OperationInput, Outcome, Provider, Step } from '../contract.ts'
import { readerOf, Unreadable } from '../read.ts'
import { closedOrFound, lookedUp, outcomeIn } from './answer.ts'
import { eventsIn } from './callback.ts'
import { closeOperation, completeOperation, deleteToken, get, getOperation, putOperation } from './request.ts'
import { signatureHeader, verify } from './signature.ts'
import { customTerms, everything, protocolResolution, simulatorTerms } from './terms.ts'
import { CustomConfig, Manifest, SimulatorConfig } from './wire.ts'

const operate: Step<OperationInput, Outcome, CustomConfig> = { build: putOperation, parse: outcomeIn }

const protocol = {
  capabilities: everything,
  resolve: protocolResolution,
  operations: { verify: operate, authorize: operate, capture: operate, void: operate, refund: operate },
  complete: { build: completeOperation, parse: outcomeIn },
  lookup: { build: getOperation, parse: lookedUp },
  close: { build: closeOperation, parse: closedOrFound },
  health: {
    build: (_, context) => get('/health', context),
    parse: ({ status }) => status === 200,
  },
  // A card that they do not know is as good as forgotten.
  forget: { build: deleteToken, parse: ({ status }) => [200, 204, 404].includes(status) },
  webhooks: {
    verify: ({ method, path, headers, body }, { config: { secrets }, now }) => {
      const signed = { way: 'callback', method, path, body } as const
      return verify(signed, headers[signatureHeader], { secrets, now }) === 'valid' ? 'valid' : 'invalid'
    },
    parse: eventsIn,
  },
} satisfies Omit<Provider<CustomConfig>, 'id' | 'config'>

export const custom: Provider<CustomConfig> = {
  id: 'custom',
  config: CustomConfig,
  ...protocol,
  narrow: customTerms,
}

export const simulator: Provider<SimulatorConfig> = {
  id: 'simulator',
  config: SimulatorConfig,
  ...protocol,
  narrow: simulatorTerms,
}

const readManifest = readerOf(Manifest)

/** Not a step of a provider: an account is checked with it, and what it says becomes part of its settings. */
export const manifest: Step<null, Manifest, CustomConfig> = {
  build: (_, context) => get('/manifest', context),
  parse: ({ status, body }) => {
    if (status !== 200) throw new Unreadable(`The status was ${status}.`)
    return readManifest(body)
  },
}
