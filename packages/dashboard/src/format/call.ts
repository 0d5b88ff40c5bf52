/** The API call of a form as code: curl and TypeScript. */

export type ApiCall = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Relative to the base URL of the API, with ids filled in. */
  readonly path: string
  readonly body?: object | undefined
  /** The SDK method, such as `payments.capture`, and its arguments. */
  readonly sdk: { readonly method: string; readonly args: readonly unknown[] }
}

export function curlOf({ method, path, body }: ApiCall, address: string): string {
  const lines = [`curl -X ${method} '${address}${path}' \\`, '  -H "Authorization: Bearer $SWITCHYARD_TOKEN"']
  if (method !== 'GET' && method !== 'DELETE') lines.push('  -H "Idempotency-Key: $(uuidgen)"')
  if (body !== undefined) {
    lines.push("  -H 'Content-Type: application/json'")
    lines.push(`  -d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`)
  }
  const [first = '', ...rest] = lines
  return [first, rest.join(' \\\n')].join('\n')
}

export function typescriptOf({ sdk }: ApiCall, address: string): string {
  const args = sdk.args.map((arg) => literal(arg)).join(', ')
  return [
    "import { Switchyard } from '@switchyard/sdk'",
    '',
    'const switchyard = new Switchyard({',
    '  token: process.env.SWITCHYARD_TOKEN,',
    `  baseUrl: '${address}',`,
    '})',
    `const result = await switchyard.${sdk.method}(${args})`,
  ].join('\n')
}

/** A value as source code, with keys unquoted where possible. Has no side effects. */
function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string')
    return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
  if (Array.isArray(value)) return `[${value.map((entry) => literal(entry, indent)).join(', ')}]`
  if (value === null || typeof value !== 'object') return String(value)
  const deeper = `${indent}  `
  const entries = Object.entries(value).filter(([, member]) => member !== undefined)
  if (entries.length === 0) return '{}'
  const members = entries.map(([name, member]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`
    return `${deeper}${key}: ${literal(member, deeper)},`
  })
  return `{\n${members.join('\n')}\n${indent}}`
}
