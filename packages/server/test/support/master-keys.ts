// The master key of every server that tests start, so that a second one opens what the first has sealed.

export const testMasterKeys = `test:${Buffer.alloc(32, 'switchyard').toString('base64')}`
