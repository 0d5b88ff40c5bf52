/**
 * A custom provider implements the protocol at the URL of the account. The simulator uses the same code with
 * different settings, so tests with it cover every conforming provider.
 */
import type { OperationInput, Outcome, Provider, Step } from '../contract.ts'
import { readerOf, Unreadable } from '../read.ts'
import { closedOrFound, foundByLookup, outcomeIn, pageIn } from './answer.ts'
import { eventsIn } from './callback.ts'
import { disputeSteps } from './disputes.ts'
import {
  closeOperation,
  completeOperation,
  deleteToken,
  get,
  getOperation,
  listOperations,
  putOperation,
} from './request.ts'
import { signatureHeader, standInsHeader, verify } from './signature.ts'
import { allCapabilities, customTerms, protocolResolution, simulatorTerms } from './terms.ts'
import { CustomConfig, Manifest, SimulatorConfig } from './wire.ts'

const operate: Step<OperationInput, Outcome, CustomConfig> = { build: putOperation, parse: outcomeIn }

const protocol = {
  standInHeaders: [signatureHeader, standInsHeader],
  capabilities: allCapabilities,
  resolve: protocolResolution,
  operations: { verify: operate, authorize: operate, capture: operate, void: operate, refund: operate },
  complete: { build: completeOperation, parse: outcomeIn },
  lookup: { build: getOperation, parse: foundByLookup },
  close: { build: closeOperation, parse: closedOrFound },
  list: { build: listOperations, parse: pageIn },
  health: {
    build: (_, context) => get('/health', context),
    parse: ({ status }) => status === 200,
  },
  // An unknown card counts as deleted.
  forget: { build: deleteToken, parse: ({ status }) => [200, 204, 404].includes(status) },
  disputes: disputeSteps,
  webhooks: {
    signature: 'path_and_time',
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
  disputes: {
    ...disputeSteps,
    isSupported: ({ manifest: stored }) => stored?.features.disputes === true,
  },
  list: { ...protocol.list, isSupported: ({ manifest: stored }) => stored?.features.list === true },
  narrow: customTerms,
  vaultObstacleOf: (manifest) =>
    (manifest as Manifest | null)?.features.vault === true
      ? null
      : 'The manifest of its provider does not list the feature vault, or the account has not been checked.',
}

export const simulator: Provider<SimulatorConfig> = {
  id: 'simulator',
  config: SimulatorConfig,
  ...protocol,
  narrow: simulatorTerms,
}

const readManifest = readerOf(Manifest)

/**
 * Fetches the manifest. Only the account check uses it, and stores the manifest in the settings of the
 * account.
 */
export const manifest: Step<null, Manifest, CustomConfig> = {
  build: (_, context) => get('/manifest', context),
  parse: ({ status, body }) => {
    if (status !== 200) throw new Unreadable(`Unexpected status ${status}.`)
    return readManifest(body)
  },
}
