/**
 * Passkeys (WebAuthn): the options sent to browsers and the verification of their responses. A device signs
 * our challenge together with the origin of the page, so a response that a phishing page obtains is useless
 * to it.
 */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'

/** Loaded when the first passkey is used, because it takes a fifth of the start-up time of a process. */
const loadLibrary = () => import('@simplewebauthn/server')

/** A registered passkey. */
export type Passkey = {
  readonly credentialId: string
  readonly publicKey: Uint8Array
  /** The signature counter. A counter that decreases indicates a cloned key. */
  readonly counter: number
  readonly transports: readonly string[]
}

const timeoutMs = 300_000
/** EdDSA, ES256 and RS256 by their COSE numbers: the algorithms of current devices. */
const algorithms = [-8, -7, -257]

/** The options for creating a passkey. The passkey is discoverable: it stores which person it belongs to. */
export async function creationOptions(options: {
  readonly url: string
  readonly person: { readonly handle: Uint8Array; readonly email: string; readonly name: string }
  readonly existingCredentialIds: readonly string[]
}) {
  const { generateRegistrationOptions } = await loadLibrary()
  return generateRegistrationOptions({
    rpName: 'Switchyard',
    rpID: hostNameOf(options.url),
    timeout: timeoutMs,
    userName: options.person.email,
    userDisplayName: options.person.name,
    userID: new Uint8Array(options.person.handle),
    excludeCredentials: options.existingCredentialIds.map((id) => ({ id })),
    supportedAlgorithmIDs: algorithms,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

/** The new passkey; null if the response does not verify. */
export async function verifyCreation(
  response: unknown,
  { url, challenge }: { readonly url: string; readonly challenge: string },
): Promise<Passkey | null> {
  const { verifyRegistrationResponse } = await loadLibrary()
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: response as RegistrationResponseJSON,
      expectedChallenge: challenge,
      supportedAlgorithmIDs: algorithms,
      ...expected(url),
    })
    if (!verified) return null
    const { id, publicKey, counter, transports = [] } = registrationInfo.credential
    return { credentialId: id, publicKey, counter, transports }
  } catch {
    // A response that does not parse, match or verify is treated as invalid.
    return null
  }
}

/** The options for signing in with any passkey. */
export async function requestOptions(url: string) {
  const { generateAuthenticationOptions } = await loadLibrary()
  return generateAuthenticationOptions({
    rpID: hostNameOf(url),
    timeout: timeoutMs,
    userVerification: 'required',
  })
}

/** The new signature counter; null if the response does not verify. */
export async function verifyAssertion(
  response: unknown,
  {
    url,
    key,
    consumeChallenge,
  }: {
    readonly url: string
    readonly key: Passkey
    /** Whether the challenge is ours and has not been used yet. */
    readonly consumeChallenge: (challenge: string) => Promise<boolean>
  },
): Promise<number | null> {
  const { credentialId: id, publicKey, counter, transports } = key
  const { verifyAuthenticationResponse } = await loadLibrary()
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: response as AuthenticationResponseJSON,
      expectedChallenge: consumeChallenge,
      credential: { id, publicKey: new Uint8Array(publicKey), counter, transports: [...transports] },
      ...expected(url),
    })
    return verified ? authenticationInfo.newCounter : null
  } catch {
    return null
  }
}

const hostNameOf = (url: string) => new URL(url).hostname

const expected = (url: string) => ({
  expectedOrigin: new URL(url).origin,
  expectedRPID: hostNameOf(url),
  requireUserVerification: true,
})
