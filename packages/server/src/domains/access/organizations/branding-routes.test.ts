import { expect, test } from 'vitest'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'

const switchyard = await switchyardForThisFile()
const logo_url = `data:image/png;base64,${Buffer.from('89504e470d0a1a0a', 'hex').toString('base64')}`

test('the branding of a workspace can be updated, and omitted members stay unchanged', async () => {
  const { get, put } = await switchyard.newWorkspace()
  const noBranding = { display_name: null, logo_url: null, accent_color: null }
  expect((await get('/workspace')).body.branding).toEqual(noBranding)

  await put('/workspace', { branding: { display_name: 'Café Zürich', logo_url } })
  const withColor = await put('/workspace', { branding: { accent_color: '#0b5fff' } })
  const repeated = await put('/workspace', { branding: { accent_color: '#0b5fff' } })
  const cleared = await put('/workspace', { branding: { logo_url: null } })

  expect(withColor.body.branding).toEqual({ display_name: 'Café Zürich', logo_url, accent_color: '#0b5fff' })
  expect(repeated.headers.get('etag')).toBe(withColor.headers.get('etag'))
  expect(cleared.body.branding).toEqual({
    display_name: 'Café Zürich',
    logo_url: null,
    accent_color: '#0b5fff',
  })
})

test.each([
  [{ accent_color: 'red' }, '/branding/accent_color'],
  [{ accent_color: '#0B5FFF' }, '/branding/accent_color'],
  [{ logo_url: 'https://cdn.example.com/logo.png' }, '/branding/logo_url'],
  [{ display_name: '' }, '/branding/display_name'],
  [{ font: 'Comic Sans' }, '/branding/font'],
])('%j is rejected with an error at %s', async (branding, pointer) => {
  const { put } = await switchyard.newWorkspace()

  expect(await put('/workspace', { branding })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer }] },
  })
})
