// Verifies that a request comes from Switchyard: signed with a current secret, at most five minutes ago.

import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

export type Call = { method: string; path: string; signature: string; body: string; standIns?: string }

export function isSigned({ method, path, signature, body, standIns }: Call, secrets: string[]): boolean {
  const elements = signature.split(',').map((element) => element.trim().split('='))
  const t = elements.find(([label]) => label === 't')?.[1] ?? ''
  if (!(Math.abs(Date.now() / 1000 - Number(t || Number.NaN)) <= 300)) return false
  const digest = createHash('sha256').update(signedBody(body, standIns)).digest('hex')
  const expected = secrets.map((secret) =>
    createHmac('sha256', secret).update(`request.${t}.${method}.${path}.${digest}`).digest(),
  )
  const signatures = elements
    .filter(([label]) => label === 'v1')
    .map(([, hex = '']) => Buffer.from(hex, 'hex'))
  return expected.some((a) => signatures.some((b) => a.length === b.length && timingSafeEqual(a, b)))
}

// A card vault replaced placeholders with the card after the body was signed. Switchyard-Stand-Ins lists the
// placeholders.
function signedBody(body: string, standIns = ''): string {
  const parts = [...standIns.matchAll(/(?:^|,)(number|cvc)=([A-Za-z0-9]{20})(?=,|$)/g)]
  return body.replace(/"instrument":\{[^{}]*\}/, (instrument) =>
    parts.reduce(
      (text, [, name, standIn]) => text.replace(new RegExp(`"${name}":"[^"]*"`), `"${name}":"${standIn}"`),
      instrument,
    ),
  )
}
