/** Passkeys with the WebAuthn API of the browser. Options and responses are sent as JSON. */
import { fetchSession, type Session } from './session-api.ts'

export async function signInWithPasskey(): Promise<Session> {
  const options = await fetchSession<PublicKeyCredentialRequestOptionsJSON>(
    'POST',
    '/session/passkey-options',
    {},
  )
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  const credential = await navigator.credentials.get({ publicKey })
  return fetchSession<Session>('POST', '/session/passkey', jsonOf(credential))
}

/** The server requires reauthentication before it adds a passkey. */
export async function addPasskey(
  name: string,
  reauthentication: { readonly password?: string },
): Promise<void> {
  const options = await fetchSession<PublicKeyCredentialCreationOptionsJSON>(
    'POST',
    '/session/passkeys/options',
    reauthentication,
  )
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const credential = await navigator.credentials.create({ publicKey })
  await fetchSession('POST', '/session/passkeys', { name, credential: jsonOf(credential) })
}

function jsonOf(credential: Credential | null): object {
  if (credential instanceof PublicKeyCredential) return credential.toJSON()
  throw new Error('The browser did not return a passkey.')
}
