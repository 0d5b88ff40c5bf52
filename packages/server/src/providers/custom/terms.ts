/**
 * The terms of an account: the terms of the protocol, without features that its provider does not support.
 */
import type { Capabilities, Resolution, Terms } from '../contract.ts'
import {
  achDebit,
  bacsDebit,
  bancontact,
  ideal,
  operationKinds,
  otherMethodTypes,
  paypalIn,
  sepaDebit,
} from '../contract.ts'
import type { CustomConfig, Manifest, SimulatorConfig } from './wire.ts'

export const allCapabilities: Capabilities = {
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
  methods: {},
}

export const protocolResolution: Resolution = {
  // Providers keep records for 180 days, and respond to a repeat with the record.
  replayHours: 180 * 24,
  lookup: 'reference',
  close: true,
  // Closing an operation proves that it was not processed, so a lookup that finds nothing is not used as
  // proof.
  absentIsFinalAfterMinutes: null,
  // Callbacks are optional in the protocol.
  webhook: false,
  completedByUs: false,
}

/** Nothing is known about an account before its first check, so the full protocol is expected. */
export function customTerms({ manifest }: CustomConfig): Terms {
  if (manifest === undefined) return { capabilities: allCapabilities, resolve: protocolResolution }
  const { lookup, close, replay } = manifest.features
  const replayHours = replay === false ? 0 : protocolResolution.replayHours
  return {
    capabilities: capabilitiesIn(manifest),
    resolve: { ...protocolResolution, replayHours, lookup: lookup ? 'reference' : 'none', close },
  }
}

/** Twice the longest lookup delay that the simulator can be configured with. */
const absentMinutes = 120

const simulatedMethods: Capabilities['methods'] = {
  sepa_debit: sepaDebit,
  ach_debit: achDebit,
  bacs_debit: bacsDebit,
  ideal,
  bancontact,
  paypal: paypalIn(['eur', 'gbp', 'usd']),
}

/** The simulator can be configured to violate the protocol, to test how that is handled. */
export function simulatorTerms(config: SimulatorConfig): Terms {
  const { capabilities, resolve } = customTerms(config)
  const close = resolve.close && config.close !== false
  return {
    capabilities: { ...capabilities, methods: simulatedMethods },
    resolve: {
      replayHours: config.replay === false ? 0 : resolve.replayHours,
      lookup: config.lookup === false ? 'none' : resolve.lookup,
      close,
      absentIsFinalAfterMinutes: close || config.lookup === false ? null : absentMinutes,
      webhook: config.webhooks !== 'off',
      completedByUs: true,
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
    // A challenge that cannot be completed is not supported.
    threeDSecure: capabilities.three_d_secure && features.complete,
    offSession: capabilities.off_session,
    methods: methodsIn(capabilities.methods ?? {}),
  }
}

function methodsIn(methods: NonNullable<Manifest['capabilities']['methods']>): Capabilities['methods'] {
  return Object.fromEntries(
    otherMethodTypes.flatMap((type) => {
      const terms = methods[type]
      if (terms === undefined) return []
      const { confirm_days: confirmDays, new_mandate_days: newMandateDays, ...others } = terms
      return [[type, { ...others, confirmDays, ...(newMandateDays === undefined ? {} : { newMandateDays }) }]]
    }),
  )
}
