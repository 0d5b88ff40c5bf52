/**
 * Very Good Security (VGS): calls go through its outbound proxy, which replaces aliases with card data on the
 * way to hosts for which the merchant has created a route. The sources, and what they do not specify, are
 * listed in docs/guides/choose-card-data.md.
 */
import type { CardVault, VaultConfig, VaultProxy } from '../contract.ts'
import { unwrapByStatusHeader } from '../unwrap.ts'

const name = 'VGS'
const uuid = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'

export const vgs: CardVault = {
  id: 'vgs',
  name,
  fields: [
    {
      name: 'vault_id',
      label: 'Vault id',
      help: 'It starts with tnt, and is in the dashboard of VGS.',
      required: true,
      isSecret: false,
      pattern: { live: '^tnt[a-z0-9]{4,20}$', test: '^tnt[a-z0-9]{4,20}$' },
    },
    {
      name: 'environment',
      label: 'Environment',
      help: 'In production live, or the environment of your region, such as live-eu-1.',
      required: true,
      isSecret: false,
      pattern: { live: '^live(-[a-z]{2}-[0-9])?$', test: '^sandbox$' },
    },
    {
      name: 'username',
      label: 'User name',
      help: 'The user name of the access credentials, in the dashboard of VGS under Vault settings.',
      required: true,
      isSecret: true,
      pattern: { live: '^[A-Za-z0-9]{8,100}$', test: '^[A-Za-z0-9]{8,100}$' },
    },
    {
      name: 'password',
      label: 'Password',
      help: 'The password of the access credentials.',
      required: true,
      isSecret: true,
      pattern: { live: '^[A-Za-z0-9-]{8,100}$', test: '^[A-Za-z0-9-]{8,100}$' },
    },
    {
      name: 'route_id',
      label: 'Inbound route id',
      help: 'The id of an inbound route whose upstream is the Vault API, in the dashboard of VGS under Routes. Needed for card fields of VGS on payment pages.',
      required: false,
      isSecret: false,
      pattern: { live: uuid, test: uuid },
    },
    {
      name: 'ca',
      label: 'Root certificate',
      help: 'The certificate of the environment as PEM, in the dashboard of VGS under Code snippets.',
      required: true,
      isSecret: false,
      pattern: {
        live: '^-----BEGIN CERTIFICATE-----[\\s\\S]{1,8000}-----END CERTIFICATE-----\\s*$',
        test: '^-----BEGIN CERTIFICATE-----[\\s\\S]{1,8000}-----END CERTIFICATE-----\\s*$',
      },
    },
  ],
  emulated: {
    vault_id: 'tntemulated',
    route_id: '00000000-0000-4000-8000-000000000000',
    environment: 'sandbox',
    username: 'USemulated',
    password: 'emulated-password',
  },
  cvc: 'window',
  needsCardDetails: true,
  publicConfig: ({ vault_id = '', environment = '', route_id }) =>
    route_id === undefined ? null : { vault_id, environment, route_id },
  placeholder: (part, { number, cvc }) => (part === 'number' ? number : (cvc ?? '')),
  wrap: (call, config) => ({ call, proxy: proxyOf(config) }),
  unwrap: (reply) => unwrapByStatusHeader(reply, 'vgs-upstream-status-code', name),
  check: {
    build: (config) => ({
      call: { method: 'GET', url: echoUrlOf(config), headers: { accept: 'application/json' }, body: null },
      proxy: proxyOf(config),
    }),
    // The proxy accepts a connection only with valid credentials. The response of the echo service does not
    // matter.
    parse: ({ status }) => (status === 407 ? 'rejected the access credentials.' : null),
  },
}

/** A service of VGS that returns what it receives. */
function echoUrlOf({ emulator_url: emulator }: VaultConfig): string {
  return `${emulator ?? 'https://echo.apps.verygood.systems'}/get`
}

function proxyOf(config: VaultConfig): VaultProxy {
  const {
    emulator_url: emulator,
    vault_id: id,
    environment,
    username = '',
    password = '',
    ca = null,
  } = config
  return {
    url: emulator ?? `https://${id}.${environment}.verygoodproxy.com:8443`,
    authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
    ca,
  }
}
