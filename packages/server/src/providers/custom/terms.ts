/** What an account can do: the protocol's terms, less what its provider says it cannot. */
import type { Capabilities, Resolution, Terms } from '../contract.ts'
import { operationKinds } from '../contract.ts'
import type { CustomConfig, Manifest, SimulatorConfig } from './wire.ts'

export const everything: Capabilities = {
  kinds: operationKinds,
  brands: 'all',
  currencies: 'all',
  countries: 'all',
  amount: null,
  manualCapture: true,
  multiCapture: true,
  partialRefund: true,
  threeDSecure: true,
  offSession: true,
}

export const protocolResolution: Resolution = {
  // They keep records for 180 days, and answer a repeat with the record.
  replayHours: 180 * 24,
  lookup: 'reference',
  close: true,
  // Closing gives proof, so silence never has to.
  absentIsFinalAfterMinutes: null,
}

/** Before it was checked, nothing is known of an account, and all of the protocol is expected. */
export function customTerms({ manifest }: CustomConfig): Terms {
  if (manifest === undefined) return { capabilities: everything, resolve: protocolResolution }
  const { lookup, close, replay } = manifest.features
  const replayHours = replay === false ? 0 : protocolResolution.replayHours
  return {
    capabilities: capabilitiesIn(manifest),
    resolve: { ...protocolResolution, replayHours, lookup: lookup ? 'reference' : 'none', close },
  }
}

/** A sender that was frozen may wake and still send. After an hour nobody waits for that any more. */
const absentMinutes = 60

/** The simulator can be told to be worse than the protocol asks, so that we prove what happens then. */
export function simulatorTerms(config: SimulatorConfig): Terms {
  const { capabilities, resolve } = customTerms(config)
  const close = resolve.close && config.close !== false
  return {
    capabilities,
    resolve: {
      replayHours: config.replay === false ? 0 : resolve.replayHours,
      lookup: config.lookup === false ? 'none' : resolve.lookup,
      close,
      absentIsFinalAfterMinutes: close || config.lookup === false ? null : absentMinutes,
    },
  }
}

function capabilitiesIn({ capabilities, features }: Manifest): Capabilities {
  return {
    kinds: capabilities.kinds,
    brands: capabilities.brands,
    currencies: capabilities.currencies,
    countries: capabilities.countries,
    amount: capabilities.amount ?? null,
    manualCapture: capabilities.manual_capture,
    multiCapture: capabilities.multi_capture,
    partialRefund: capabilities.partial_refund,
    // A challenge that cannot be completed is none.
    threeDSecure: capabilities.three_d_secure && features.complete,
    offSession: capabilities.off_session,
  }
}
