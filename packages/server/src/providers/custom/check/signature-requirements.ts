/**
 * Requirements for signatures: every kind of forged request is rejected, and every genuine one is accepted.
 */
import type { HttpCall } from '../../contract.ts'
import { closeOperation, getOperation, putOperation } from '../request.ts'
import { type Signed, sign, signatureHeader } from '../signature.ts'
import { describeOutcome, expect, type Probe } from './probe.ts'
import type { Requirement } from './requirements.ts'

type CreateSignature = (probe: Probe, signed: Signed) => string | null

const otherSecret = 'psec_nobody_0123456789abcdef'

function signedAt(probe: Probe, signed: Signed, seconds = 0): string {
  const { config, now } = probe.context
  return sign(signed, config.secrets, new Date(now.getTime() + seconds * 1000))
}

// biome-ignore format: a table.
const forgeries: [string, CreateSignature][] = [
  ['without a signature',             () => null],
  ['with an empty signature',         () => ''],
  ['signed with a different secret',      (probe, signed) => sign(signed, [otherSecret], probe.context.now)],
  ['signed for a different body',         (probe, signed) => signedAt(probe, { ...signed, body: '{}' })],
  ['signed for another path',         (probe, signed) => signedAt(probe, { ...signed, path: `${signed.path}0` })],
  ['signed for another method',       (probe, signed) => signedAt(probe, { ...signed, method: 'PATCH' })],
  ['signed as a callback',            (probe, signed) => signedAt(probe, { ...signed, way: 'callback' })],
  ['signed ten minutes ago',          (probe, signed) => signedAt(probe, signed, -600)],
  ['signed ten minutes in the future', (probe, signed) => signedAt(probe, signed, 600)],
]

// biome-ignore format: a table.
const genuine: [string, CreateSignature][] = [
  ['made four minutes ago',             (probe, signed) => signedAt(probe, signed, -240)],
  ['that is the second of two',         (probe, signed) => {
    const [t, v1] = signedAt(probe, signed).split(',')
    return `${t},v1=${'0'.repeat(64)},${v1}`
  }],
  ['next to signatures of unknown versions', (probe, signed) => `v0=x,${signedAt(probe, signed)},v2=${'0'.repeat(64)}`],
]

export const signatureRequirements: readonly Requirement[] = [
  ...forgeries.map(
    ([name, createSignature]): Requirement => ({
      name: `a request ${name} returns 401 and has no effect`,
      run: (probe) => expectRejected(probe, createSignature),
    }),
  ),
  ...genuine.map(
    ([name, createSignature]): Requirement => ({
      name: `a signature ${name} is accepted`,
      run: (probe) => expectAccepted(probe, createSignature),
    }),
  ),
]

async function expectRejected(probe: Probe, createSignature: CreateSignature): Promise<void> {
  const input = probe.newOperation()
  const call =
    input.instrument === null ? closeOperation(input, probe.context) : putOperation(input, probe.context)
  const { status } = await probe.send(withSignature(call, createSignature(probe, signedPartsOf(call))))
  expect(status === 401, `The provider returned ${status}.`)
  const found = await probe.lookUp(input)
  expect(
    found.is === 'absent',
    `Although the request was rejected, its result is now ${describeOutcome(found)}.`,
  )
}

async function expectAccepted(probe: Probe, createSignature: CreateSignature): Promise<void> {
  const call = getOperation(probe.newOperation(), probe.context)
  const { status } = await probe.send(withSignature(call, createSignature(probe, signedPartsOf(call))))
  expect(status === 404, `A lookup of an unknown operation returned ${status}.`)
}

function signedPartsOf({ method, url, body }: HttpCall): Signed {
  const { pathname, search } = new URL(url)
  return { way: 'request', method, path: pathname + search, body: body ?? '' }
}

function withSignature(call: HttpCall, signature: string | null): HttpCall {
  const { [signatureHeader]: _, ...headers } = call.headers
  return { ...call, headers: signature === null ? headers : { ...headers, [signatureHeader]: signature } }
}
