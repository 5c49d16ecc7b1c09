import { describe, expect, it } from 'vitest';
import { JujuError } from '../core/errors.ts';
import { fromWireError, wireError } from './errors.ts';
import { decodeRequest, decodeResponse, encodeRequest, encodeResponse } from './frames.ts';

describe('requests', () => {
  it('requests are decoded as they were encoded', () => {
    const frame = {
      requestId: 3,
      type: 'AllWatcher',
      version: 3,
      id: '1',
      request: 'Next',
      params: { a: 1 },
    };
    expect(decodeRequest(encodeRequest(frame))).toEqual(frame);
  });

  it('requests need no more than their names', () => {
    expect(decodeRequest('{"request-id":1,"type":"Pinger","request":"Ping","id":null}')).toEqual({
      requestId: 1,
      type: 'Pinger',
      version: 0,
      id: '',
      request: 'Ping',
      params: undefined,
    });
  });

  it('requests are read as python writes them', () => {
    const text =
      '{\n "type": "AllWatcher", "Id": "1", "request": "Next", "version": 3, "params": {}, "request-id": 9}';
    expect(decodeRequest(text)).toMatchObject({ requestId: 9, id: '1' });
    expect(decodeRequest(text.toUpperCase().replace('NEXT', 'Next'))).toMatchObject({
      requestId: 9,
      type: 'ALLWATCHER',
      request: 'Next',
      version: 3,
    });
  });

  it.each(['', '{', '[]', '3', 'null', '{"request-id":"1"}', '{"request-id":-1}', '{"request-id":1.5}'])(
    '%j is refused',
    (text) => expect(() => decodeRequest(text)).toThrow(JujuError),
  );

  it.each(['{"request-id":7,"type":3}', '{"request-id":7,"version":"x"}'])(
    '%s is refused by its number',
    (text) => {
      expect(() => decodeRequest(text)).toThrow(expect.objectContaining({ info: { 'request-id': 7 } }));
    },
  );
});

describe('responses', () => {
  it('responses without an error have no error members', () => {
    expect(encodeResponse({ requestId: 1, response: undefined })).toBe('{"request-id":1,"response":{}}');
    expect(encodeResponse({ requestId: 1, response: { a: 1 } })).toBe('{"request-id":1,"response":{"a":1}}');
  });

  it('responses leave out a missing code', () => {
    expect(JSON.parse(encodeResponse({ requestId: 1, error: { message: 'no', code: '' } }))).toEqual({
      'request-id': 1,
      error: 'no',
      response: {},
    });
  });

  it('responses with an empty error are answers', () => {
    expect(decodeResponse('{"request-id":1,"error":"","response":{"a":1}}')).toEqual({
      requestId: 1,
      response: { a: 1 },
    });
  });

  it('responses carry code and info', () => {
    const error = { message: 'no', code: 'not found', info: { a: 1 } };
    expect(decodeResponse(encodeResponse({ requestId: 1, error }))).toEqual({ requestId: 1, error });
  });
});

it('an error keeps its code over the wire', () => {
  const error = new JujuError('not found', 'gone', { info: { a: 1 } });
  expect(fromWireError(wireError(error))).toMatchObject({
    code: 'not found',
    message: 'gone',
    info: { a: 1 },
  });
  expect(wireError(new JujuError('', 'plain'))).toEqual({ message: 'plain', code: '' });
  expect(fromWireError({ message: 'x', code: 'of another version' }).code).toBe('');
});
