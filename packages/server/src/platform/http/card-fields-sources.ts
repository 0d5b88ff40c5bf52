/**
 * The sources that the browser components of providers and vaults need. The payment page with the fields of one of them
 * allows these in its content security policy, and no others. No side effects.
 */
import type { Mode } from '../../kernel/id.ts'

export type CardFieldsSources = {
  readonly script: readonly string[]
  readonly frame: readonly string[]
  readonly connect: readonly string[]
  readonly style?: readonly string[]
  readonly image?: readonly string[]
}

const adyenHosts: Readonly<Record<Mode, readonly string[]>> = {
  test: hostsOf('test'),
  live: ['live', 'live-us', 'live-au', 'live-apse', 'live-in'].flatMap(hostsOf),
}

/** The component loads images and translations from the second host. */
function hostsOf(environment: string): readonly string[] {
  return ['adyen.com', 'cdn.adyen.com'].map((domain) => `https://checkoutshopper-${environment}.${domain}`)
}

const vgsAnalytics = 'https://vgs-collect-keeper.apps.verygood.systems'

const sourcesOf: Readonly<Record<string, (mode: Mode) => CardFieldsSources>> = {
  stripe: () => ({
    script: ['https://js.stripe.com', 'https://*.js.stripe.com'],
    frame: ['https://js.stripe.com', 'https://*.js.stripe.com', 'https://hooks.stripe.com'],
    connect: ['https://api.stripe.com'],
  }),
  adyen: (mode) => {
    const hosts = adyenHosts[mode]
    return { script: hosts, frame: hosts, connect: hosts, style: hosts, image: hosts }
  },
  mollie: () => ({
    script: ['https://js.mollie.com'],
    frame: ['https://js.mollie.com'],
    connect: ['https://js.mollie.com'],
  }),
  basis_theory: () => ({
    script: ['https://js.basistheory.com'],
    frame: ['https://js.basistheory.com'],
    connect: ['https://js.basistheory.com', 'https://api.basistheory.com'],
  }),
  // Aliases are created at a host of the vault, such as tnt1234.sandbox.verygoodproxy.com.
  vgs: () => ({
    script: ['https://js.verygoodvault.com'],
    frame: ['https://js.verygoodvault.com'],
    connect: ['https://js.verygoodvault.com', 'https://*.verygoodproxy.com', vgsAnalytics],
  }),
}

/** Null if there is no component with this name. */
export function cardFieldsSources(component: unknown, mode: Mode): CardFieldsSources | null {
  if (typeof component !== 'string' || !Object.hasOwn(sourcesOf, component)) return null
  return sourcesOf[component]?.(mode) ?? null
}
