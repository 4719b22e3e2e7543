import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { SignIn } from "@/app/SignIn";
import { useSessionQuery } from "@/app/session";
import { fakeApi, refusal } from "@/test/fakeApi";
import { show } from "@/test/show";

const SESSION = { name: "team", role: "operator", key_id: "key-1", expires_at: "2099-01-01T00:00:00Z" };

function Door() {
  const session = useSessionQuery();
  if (session.data === undefined) return "…";
  return session.data === null ? <SignIn /> : <h1>Welcome {session.data.name}</h1>;
}

async function signInWith(key: string) {
  if (key !== "") await userEvent.type(await screen.findByLabelText(/API key/, { selector: "input" }), key);
  await userEvent.click(await screen.findByRole("button", { name: "Sign in" }));
}

const signedOut = () => refusal(401, "This needs a key.");

test("a wrong key shows what the API says", async () => {
  fakeApi({
    "GET /api/v1/session": signedOut,
    "POST /api/v1/session": () => refusal(401, "This key is not known."),
  });
  show(<Door />);
  await signInWith("cm_wrong");
  expect(await screen.findByRole("alert")).toHaveTextContent("This key is not known.");
  expect(screen.getByLabelText(/API key/, { selector: "input" })).toHaveValue("cm_wrong");
});

test("a good key goes on", async () => {
  const asked = fakeApi({ "GET /api/v1/session": signedOut, "POST /api/v1/session": SESSION });
  show(<Door />);
  await signInWith("  cm_good ");
  expect(await screen.findByRole("heading", { name: "Welcome team" })).toBeInTheDocument();
  expect(asked.at(-1)?.body).toEqual({ key: "cm_good" });
});

test("without a key nobody is asked", async () => {
  const asked = fakeApi({ "GET /api/v1/session": signedOut });
  show(<Door />);
  await signInWith("");
  expect(await screen.findByText("Give an API key; it begins with cm_.")).toBeInTheDocument();
  expect(asked.filter(({ method }) => method === "POST")).toEqual([]);
});
