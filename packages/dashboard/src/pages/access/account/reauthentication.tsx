/** Reauthentication before credentials change: access to an open browser must not be enough. */
import { useState } from 'react'
import { TextField } from '../../../ui/fields.tsx'

export type Reauthentication = { readonly password?: string }

export function useReauthentication(): {
  readonly reauthentication: Reauthentication
  readonly field: React.ReactNode
} {
  const [password, setPassword] = useState('')
  return {
    reauthentication: password === '' ? {} : { password },
    field: (
      <TextField
        label="Your password"
        type="password"
        autoComplete="current-password"
        hint="Not required within five minutes of signing in."
        value={password}
        onChange={setPassword}
      />
    ),
  }
}
