/** Before somebody changes what they sign in with: an open browser alone must not be enough. */
import { useState } from 'react'
import { TextField } from '../../../ui/fields.tsx'

export type Proof = { readonly password?: string }

export function useProof(): { readonly proof: Proof; readonly field: React.ReactNode } {
  const [password, setPassword] = useState('')
  return {
    proof: password === '' ? {} : { password },
    field: (
      <TextField
        label="Your password"
        type="password"
        autoComplete="current-password"
        hint="Can stay empty within five minutes of signing in."
        value={password}
        onChange={setPassword}
      />
    ),
  }
}
