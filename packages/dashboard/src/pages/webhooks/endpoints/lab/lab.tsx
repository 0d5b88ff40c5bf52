/** The signature lab: checks a pasted request and explains why its signature does not match. */
import { useEffect, useState } from 'react'
import { TextArea, TextField } from '../../../../ui/fields.tsx'
import { PageHead, Panel } from '../../../../ui/panel.tsx'
import { Chip } from '../../../../ui/status.tsx'
import { isValid, type VerificationResult, verifySubmission } from './verification.ts'

export function Page() {
  const [body, setBody] = useState('')
  const [headers, setHeaders] = useState('')
  const [secret, setSecret] = useState('')
  const [computed, setComputed] = useState('')
  const result = useVerification(body, headers, secret, computed)
  return (
    <>
      <PageHead
        crumbs={[{ text: 'Webhooks', to: '/webhook-endpoints' }, { text: 'Signature lab' }]}
        title="Signature lab"
      >
        <p className="mt-1 max-w-220 text-sentence">
          Paste a request that your receiver received. Everything is computed in your browser: nothing is sent
          or stored.
        </p>
      </PageHead>
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,420px)]">
        <Panel title="Request">
          <div className="grid gap-4">
            <TextArea label="Body, exactly as received" rows={8} mono value={body} onChange={setBody} />
            <TextArea
              label="Headers"
              hint="One per line, such as signature-digest: t=…,v1=…"
              rows={5}
              mono
              value={headers}
              onChange={setHeaders}
            />
            <TextField
              label="Secret"
              hint="The full secret, including whsec_."
              mono
              value={secret}
              onChange={setSecret}
            />
            <TextField
              label="Signature your code computed (optional)"
              hint="In hexadecimal. The result then explains what your code does differently."
              mono
              value={computed}
              onChange={setComputed}
            />
          </div>
        </Panel>
        <Panel title="Result">
          <div role="status" className="grid justify-items-start gap-3">
            {result === null ? (
              <p className="text-ink2">Enter the body, headers and secret.</p>
            ) : (
              <ResultText result={result} />
            )}
          </div>
        </Panel>
      </div>
    </>
  )
}

const titles: { readonly [C in VerificationResult['code']]: string } = {
  valid: 'Valid',
  valid_earlier_secret: 'Valid with an earlier secret',
  wrong_secret: 'Wrong secret',
  prefix_missing: 'whsec_ prefix missing',
  secret_decoded: 'Secret base64-decoded',
  whole_body_signed: 'Whole body signed instead of data',
  data_reserialized: 'data re-serialized',
  t_changed: 't changed',
  unknown_versions: 'Unknown signature version',
  unreadable: 'Unreadable',
  rejected: 'Rejected by the SDK',
}

function ResultText({ result }: { result: VerificationResult }) {
  return (
    <>
      <Chip
        mark={isValid(result) ? 'disc' : 'barred'}
        tone={isValid(result) ? 'success' : 'danger'}
        text={titles[result.code]}
      />
      <p className="text-sentence">{result.text}</p>
    </>
  )
}

/** Only the result of the latest input is used, even if an earlier check finishes later. */
function useVerification(
  body: string,
  headers: string,
  secret: string,
  computed: string,
): VerificationResult | null {
  const [result, setResult] = useState<VerificationResult | null>(null)
  useEffect(() => {
    let isLatest = true
    const isReady = body !== '' && headers !== '' && secret !== ''
    const verification = isReady
      ? verifySubmission({ body, headers, secret, computed, now: new Date() })
      : Promise.resolve(null)
    void verification.then((verified) => isLatest && setResult(verified))
    return () => {
      isLatest = false
    }
  }, [body, headers, secret, computed])
  return result
}
