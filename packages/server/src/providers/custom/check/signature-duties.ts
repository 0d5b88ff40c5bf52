/** A provider acts for us alone: every way to forge a request is refused, and every way that is ours is not. */
import type { HttpCall } from '../../contract.ts'
import { closeOperation, getOperation, putOperation } from '../request.ts'
import { type Signed, sign, signatureHeader } from '../signature.ts'
import type { Duty } from './duties.ts'
import { expect, type Probe, told } from './probe.ts'

type Forger = (probe: Probe, signed: Signed) => string | null

const stranger = 'psec_nobody_0123456789abcdef'

function signedAt(probe: Probe, signed: Signed, seconds = 0): string {
  const { config, now } = probe.context
  return sign(signed, config.secrets, new Date(now.getTime() + seconds * 1000))
}

// biome-ignore format: a table.
const forgeries: [string, Forger][] = [
  ['without a signature',             () => null],
  ['with an empty signature',         () => ''],
  ['by another secret',               (probe, signed) => sign(signed, [stranger], probe.context.now)],
  ['of another body',                 (probe, signed) => signedAt(probe, { ...signed, body: '{}' })],
  ['of another address',              (probe, signed) => signedAt(probe, { ...signed, path: `${signed.path}0` })],
  ['of another method',               (probe, signed) => signedAt(probe, { ...signed, method: 'PATCH' })],
  ['of a callback',                   (probe, signed) => signedAt(probe, { ...signed, way: 'callback' })],
  ['of ten minutes ago',              (probe, signed) => signedAt(probe, signed, -600)],
  ['of ten minutes from now',         (probe, signed) => signedAt(probe, signed, 600)],
]

// biome-ignore format: a table.
const genuine: [string, Forger][] = [
  ['of four minutes ago',             (probe, signed) => signedAt(probe, signed, -240)],
  ['the second of two',               (probe, signed) => {
    const [t, v1] = signedAt(probe, signed).split(',')
    return `${t},v1=${'0'.repeat(64)},${v1}`
  }],
  ['beside versions to come',         (probe, signed) => `v0=x,${signedAt(probe, signed)},v2=${'0'.repeat(64)}`],
]

export const signatureDuties: readonly Duty[] = [
  ...forgeries.map(
    ([name, forge]): Duty => ({
      name: `a request ${name} is 401, and has no effect`,
      run: (probe) => refusesForged(probe, forge),
    }),
  ),
  ...genuine.map(
    ([name, forge]): Duty => ({
      name: `a signature ${name} holds`,
      run: (probe) => acceptsGenuine(probe, forge),
    }),
  ),
]

async function refusesForged(probe: Probe, forge: Forger): Promise<void> {
  const input = probe.newOperation()
  const call =
    input.instrument === null ? closeOperation(input, probe.context) : putOperation(input, probe.context)
  const { status } = await probe.send(withSignature(call, forge(probe, signedBy(call))))
  expect(status === 401, `It answered ${status}.`)
  const found = await probe.lookUp(input)
  expect(found.is === 'absent', `Although it was refused, it is ${told(found)} now.`)
}

async function acceptsGenuine(probe: Probe, forge: Forger): Promise<void> {
  const call = getOperation(probe.newOperation(), probe.context)
  const { status } = await probe.send(withSignature(call, forge(probe, signedBy(call))))
  expect(status === 404, `A lookup of what never was answered ${status}.`)
}

function signedBy({ method, url, body }: HttpCall): Signed {
  const { pathname, search } = new URL(url)
  return { way: 'request', method, path: pathname + search, body: body ?? '' }
}

function withSignature(call: HttpCall, signature: string | null): HttpCall {
  const { [signatureHeader]: _, ...headers } = call.headers
  return { ...call, headers: signature === null ? headers : { ...headers, [signatureHeader]: signature } }
}
