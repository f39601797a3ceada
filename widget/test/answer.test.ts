/** What the body of an answer means, read by its bytes: a yes, or a no with a message. */
import { expect } from '@open-wc/testing';
import { readVerdict } from '../src/answer.ts';
import { foreignAnswers } from './foreign-answers.ts';
import { Mailbox, mountAt } from './harness.ts';
import { inBothModes } from './modes.ts';

const sent = JSON.stringify({
  email: 'Ada@Example.com',
  consent: 'I agree.',
  custom_fields: [{ name: 'Vegan', value: false }],
});

/** Whether the visitor is thanked for a 2xx with this body. */
function isYes(body: string): boolean {
  const { isNo, isForeign } = readVerdict(body, sent);
  return !isNo && !isForeign;
}

/** One a line, the first of them empty: texts, empty errors, records beside an id or the address, and echoes. */
const yes = `
OK
Already subscribed.
1
null
true
{}
[]
{"message":"Workflow was started"}
[{"id":1,"success":true}]
[{"status":"error"},{"status":"error"}]
{"error":false,"errors":{}}
{"Error":null,"ERRORS":[]}
{"status":"no_errors_found","result":"failsafe"}
{"code":0,"msg":"ok"}
{"status":0,"errno":0}
{"success":1}
{"id":7,"valid":0}
{"id":7,"active":false}
{"_id":"a1","confirmed":false}
{"mail":"ada@example.com","confirmed":false}
{"consent":false}
{"Vegan":false}
{"ok":true,"pending":false}`.split('\n');

/** One a line: pages, broken JSON, a false alone, errors, and members that say so. */
const no = `
<h1>Welcome</h1>
 <?xml version="1.0"?><Error/>
{"status":"acc
["a"
"done
false
[false]
{"success":false}
[{"ok":false}]
{"valid":false,"error":false}
{"valid":0,"message":"No."}
{"code":200,"success":"0"}
{"id":0,"ok":false}
{"errors":["No."]}
{"error":{"code":7}}
{"id":7,"error":"No."}
{"state":"error"}
{"result":"FAIL"}
cb({"result":"error","msg":"No."});
{"status":"failed","message":"No."}
{"status":"validation_failed"}
{"success":"false","message":"No."}
{"statusCode":400,"body":"No."}
[{"type":"form-error"}]`
  .slice(1)
  .split('\n');

describe('the body of a 2xx', () => {
  for (const body of yes) it(`is a yes: ${body}`, () => expect(isYes(body)).to.equal(true));
  for (const body of [...no, 'It works! '.repeat(60)])
    it(`is a no: ${body.slice(0, 40)}`, () => expect(isYes(body)).to.equal(false));

  for (const { source, body, isYes: expected, isMisread } of foreignAnswers)
    it(`is ${isMisread ? 'misread' : 'read'}: ${body}, ${source}`, () => expect(isYes(body)).to.equal(expected));

  // What services that the documentation names answer with when they refuse.
  for (const [service, body] of [
    ['Mailchimp', '{"result":"error","msg":"0 - Please enter a value"}'],
    ['Kit', '{"status":"failed","errors":{"messages":["Invalid email"]}}'],
    ['Formspree', '{"error":"Validation errors","errors":[{"code":"TYPE_EMAIL","field":"email"}]}'],
    ['Basin', '{"success":false,"error":"Spam"}'],
    ['HubSpot', '{"status":"error","message":"The request is not valid","errors":[{"errorType":"INVALID_EMAIL"}]}'],
    ['Klaviyo', '{"errors":[{"status":400,"code":"invalid","title":"Invalid input."}]}'],
    ['WordPress', '{"success":false,"data":"Nonce is too old."}'],
    ['Pipedream', '{"success":false}'],
  ] as const)
    it(`is a no of ${service}`, () => expect(isYes(body)).to.equal(false));
});

inBothModes('an answer with 200, whatever its Content-Type', () => {
  for (const [body, message] of [
    ['{"errors":{"email":["Already taken."]}}', 'Already taken.'],
    ['[{"success":false,"message":"Listed."}]', 'Listed.'],
    ['{"success":false,"data":[{"code":"a","message":"Too old."}]}', 'Too old.'],
    ['{"status":"error","error":"<img src=x>"}', '<img src=x>'],
    ['{"errors":[null,7,{"message":{"a":1}}],"message":3}', 'Not accepted. Please check what you entered.'],
    ['{"status":"acc', 'This does not work right now. Please try again later.'],
  ] as const) {
    it(`that is a no shows its message, and keeps what was typed: ${body}`, async () => {
      const form = await mountAt(new Mailbox(`says 200 ${body}`));
      await form.signUp('error');
      expect(form.notice.textContent).to.equal(message);
      expect(form.email.value).to.equal('ada@example.com');
    });
  }

  for (const body of ['{"id":7,"confirmed":false}', 'Accepted', '']) {
    it(`that is a yes is thanked for: ${body}`, async () => {
      const form = await mountAt(new Mailbox(`says 200 ${body}`));
      await form.signUp();
    });
  }
});

inBothModes('what an endpoint says about the address', () => {
  const own = 'No mail arrives at this address: check the part after the @.';
  for (const [code, message, shown] of [
    ['EMAIL_INVALID', 'Not an address, says the server.', 'Enter an email address like name@example.com.'],
    ['EMAIL_REQUIRED', 'Enter an e-mail address.', 'Enter an email address like name@example.com.'],
    ['EMAIL_DOMAIN_TAKES_NO_MAIL', own, own],
    ['EMAIL_OF_THE_WEEK', '', 'Enter an email address like name@example.com.'],
    ['EMAIL_TEXT', 'later', 'later'],
  ] as const) {
    for (const status of [400, 200]) {
      it(`is shown at its field: ${code}, ${status}`, async () => {
        const form = await mountAt(new Mailbox(`says ${status} ${JSON.stringify({ errors: [{ message, code }] })}`));
        await form.typeAndEnter('ada@gmial.example');
        await form.reaches('error');
        expect(form.description(form.email)).to.equal(shown);
        expect(form.notice.textContent).to.equal('');
        expect(form.hasFocus(form.email)).to.equal(true);
        await form.press('Backspace');
        await form.reaches('idle');
        expect(form.email.getAttribute('aria-invalid')).not.to.equal('true');
      });
    }
  }
});
