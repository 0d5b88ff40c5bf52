/** Passkeys, by what browsers have for them: options and answers travel as JSON. */
import { knock, type Session } from './doors.ts'

export async function signInByPasskey(): Promise<Session> {
  const options = await knock<PublicKeyCredentialRequestOptionsJSON>('POST', '/session/passkey-options', {})
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  const credential = await navigator.credentials.get({ publicKey })
  return knock<Session>('POST', '/session/passkey', jsonOf(credential))
}

/** `proof` is what the server asks for before it lets another key in. */
export async function addPasskey(name: string, proof: { readonly password?: string }): Promise<void> {
  const options = await knock<PublicKeyCredentialCreationOptionsJSON>(
    'POST',
    '/session/passkeys/options',
    proof,
  )
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const credential = await navigator.credentials.create({ publicKey })
  await knock('POST', '/session/passkeys', { name, credential: jsonOf(credential) })
}

function jsonOf(credential: Credential | null): object {
  if (credential instanceof PublicKeyCredential) return credential.toJSON()
  throw new Error('The browser gave no passkey.')
}
